/** The real service, composed as in production. */

import { createSite } from "../../packages/server/dist/actions/create-site.js";
import { setSkills } from "../../packages/server/dist/actions/set-skills.js";
import { verifySite } from "../../packages/server/dist/actions/verify-site.js";
import { createApp } from "../../packages/server/dist/app.js";
import { readConfig } from "../../packages/server/dist/config/config.js";
import { createContext } from "../../packages/server/dist/context.js";
import { systemClock } from "../../packages/server/dist/platform/clock.js";
import { listen } from "../../packages/server/dist/platform/http/server.js";

const [folder, count] = process.argv.slice(2);
const env = { GATEHOUSE_MODE: "development", GATEHOUSE_PORT: "0", GATEHOUSE_DATA_DIR: folder };
const asked = readConfig(env);
const listener = await listen({ ...asked, clock: systemClock });
const config = readConfig({ ...env, GATEHOUSE_PORT: String(listener.port) });
const context = await createContext(config);
listener.serve(createApp(context));

const paths = [];
for (let i = 0; i < Number(count); i++) {
  const site = (await createSite(context, { domain: `shop-${i}.example.com`, name: `Shop ${i}` }))
    .value;
  await verifySite(context, site.siteKeyHash, { method: "operator", reason: "bench" });
  const skills = ["get_pricing", "sign_up", "contact_support", "get_status"].map((id) => ({
    id,
    enabled: true,
    url: `https://${site.domain}/${id}`,
  }));
  await setSkills(context, site.siteKeyHash, { skills });
  paths.push(`/v1/agent-card/${site.siteKeyHash}.json`);
}
const url = `http://127.0.0.1:${listener.port}`;
await fetch(url + paths[0]).then((response) => response.text());
const response = await fetch(url + paths[0]);
const headers = [...response.headers].filter(
  ([name]) => !/^(date|connection|keep-alive)$/.test(name),
);
const card = JSON.stringify({ headers: headers.flat(), body: await response.text() });
process.send({ url, paths, card });
process.on("message", (question) => {
  if (question === "exit") process.exit(0);
  // As after a start: nothing is kept, whatever was signed before.
  if (question === "forget") context.db.changes.emit({ topic: "*", id: "*" });
  const { user, system } = process.cpuUsage();
  process.send(user + system);
});
