/** The real service, composed as in production. */

import { canonicalize, NO_OFFER, signCard } from "../../packages/protocol/dist/index.js";
import { createSite } from "../../packages/server/dist/actions/sites/create-site.js";
import { setSkills } from "../../packages/server/dist/actions/sites/set-skills.js";
import { verifySite } from "../../packages/server/dist/actions/sites/verify-site.js";
import { createApp } from "../../packages/server/dist/app.js";
import { readConfig } from "../../packages/server/dist/config/config.js";
import { createContext } from "../../packages/server/dist/context.js";
import { snapshotOf } from "../../packages/server/dist/domain/sites/live-sites.js";
import { siteByHash } from "../../packages/server/dist/domain/sites/store.js";
import { etagOf } from "../../packages/server/dist/http/server/etag.js";
import { listen } from "../../packages/server/dist/http/server/server.js";
import { systemClock } from "../../packages/server/dist/infra/clock.js";

const PIECE_ROUNDS = 15;
const [folder, count, more = "{}", name = "shop"] = process.argv.slice(2);
/** No limit may be met: what is measured is answers, not refusals. */
const LIMITS = [
  "REQUESTS_PER_ADDRESS",
  "UNPROVEN_REQUESTS",
  "SOURCE_REQUESTS",
  "BEACONS_PER_SITE",
  "MCP_CALLS_PER_SESSION",
  "MCP_CALLS_PER_ADDRESS",
  "MCP_CALLS_PER_SITE",
  "MCP_SESSIONS_PER_ADDRESS",
  "MANDATES_PER_SITE",
  "MANDATES_PER_AGENT",
].map((name) => [`GATEHOUSE_${name}_PER_MINUTE`, "1000000"]);
const env = {
  GATEHOUSE_MODE: "development",
  GATEHOUSE_PORT: "0",
  GATEHOUSE_DATA_DIR: folder,
  GATEHOUSE_LOG: "error",
  GATEHOUSE_MCP_RECORD_KB_PER_SITE_PER_DAY: "1000000",
  GATEHOUSE_ADMIN_TOKEN: "bench-operator-token-of-0123456789",
  ...Object.fromEntries(LIMITS),
  ...JSON.parse(more),
};
const asked = readConfig(env);
const listener = await listen({ ...asked, clock: systemClock });
const config = readConfig({ ...env, GATEHOUSE_PORT: String(listener.port) });
const context = await createContext(config);
listener.serve(createApp(context));

const sites = [];
const paths = [];
for (let i = 0; i < Number(count); i++) {
  const site = (
    await createSite(context, { domain: `${name}-${i}.example.com`, name: `Shop ${i}` })
  ).value;
  await verifySite(context, site.siteKeyHash, { method: "operator", reason: "bench" });
  const skills = ["get_pricing", "sign_up", "contact_support", "get_status"].map((id) => ({
    id,
    enabled: true,
    url: `https://${site.domain}/${id}`,
  }));
  sites.push((await setSkills(context, site.siteKeyHash, { skills })).value);
  paths.push(`/v1/agent-card/${site.siteKeyHash}.json`);
}
const url = `http://127.0.0.1:${listener.port}`;
await fetch(url + paths[0]).then((response) => response.text());
const response = await fetch(url + paths[0]);
const headers = [...response.headers].filter(
  ([name]) => !/^(date|connection|keep-alive)$/.test(name),
);
const card = JSON.stringify({ headers: headers.flat(), body: await response.text() });
const { siteKey, siteKeyHash } = sites[0];
process.send({ url, paths, card, siteKey, siteKeyHash, baseUrl: config.baseUrl });
/** Median CPU microseconds of one step, over many different sites as in a cold run. */
async function cost(step) {
  const samples = [];
  for (let round = 0; round < PIECE_ROUNDS; round++) {
    const before = process.cpuUsage();
    for (const site of sites) await step(site);
    const { user, system } = process.cpuUsage(before);
    samples.push((user + system) / sites.length);
  }
  return samples.sort((a, b) => a - b)[Math.floor(PIECE_ROUNDS / 2)];
}

/** What a cold card is made of, each piece by itself. */
async function pieces() {
  const signer = await context.keys.signer("card");
  const now = systemClock.now();
  const made = new Map();
  for (const { siteKeyHash } of sites) {
    const snapshot = snapshotOf(
      await siteByHash(context.db, siteKeyHash),
      config.baseUrl,
      NO_OFFER,
    );
    const { card: text, a2a } = await signCard(snapshot, signer, now);
    made.set(siteKeyHash, { snapshot, whole: JSON.parse(text), a2a, bytes: Buffer.from(text) });
  }
  const of = ({ siteKeyHash }) => made.get(siteKeyHash);
  return [
    [
      "point read through the database seam",
      await cost((site) => siteByHash(context.db, site.siteKeyHash)),
    ],
    ["snapshot of the site", await cost((site) => snapshotOf(site, config.baseUrl, NO_OFFER))],
    ["card built and signed", await cost((site) => signCard(of(site).snapshot, signer, now))],
    ["… of this: one Ed25519 signature", await cost((site) => signer.sign(of(site).bytes))],
    ["… of this: JCS of the whole card", await cost((site) => canonicalize(of(site).whole))],
    ["… of this: JCS of A2A's part", await cost((site) => canonicalize(of(site).a2a))],
    ["entity tag", await cost((site) => etagOf(of(site).bytes))],
  ];
}

process.on("message", async (question) => {
  if (question === "exit") process.exit(0);
  if (question === "pieces") return process.send(await pieces());
  if (question === "memory") return process.send(process.memoryUsage.rss());
  // As after a start: nothing is kept, whatever was signed before.
  if (question === "forget") context.db.changes.emit({ topic: "*", id: "*" });
  const { user, system } = process.cpuUsage();
  process.send(user + system);
});
