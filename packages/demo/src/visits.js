/** Who comes to the shop, and whether they are who they say. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createAgent, startDirectory } from "../../../scripts/signing-agent.mjs";
import { shopPages } from "./shop-pages.js";
import { closeAtEnd, command, endProcess, expect, folder, say } from "./stage.js";

/** The shop's own application, with the plugin in front, which trusts the agent's authority. */
async function startShopApp(settings, directory) {
  const ca = join(folder, "agent-authority.pem");
  writeFileSync(ca, directory.ca);
  const app = fileURLToPath(new URL("./shop-app.js", import.meta.url));
  const child = spawn(process.execPath, [app], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      PORT: "0",
      NODE_EXTRA_CA_CERTS: ca,
      GATEHOUSE_KEYS_ALLOW: directory.host,
      ...settings,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const stop = () => endProcess(child);
  closeAtEnd(stop);
  const url = await new Promise((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`the shop's application ended with ${code}`)));
    child.stdout.on("data", (text) => resolve(/http:\S+/.exec(text)[0]));
  });
  return { url, stop };
}

/** What the owner sees of who comes: an agent that proves who it is, one that only says so. */
export async function walkVisits(env, url, { site, shop }) {
  const token = ["token", "create", "--role", "edge", "--name", "shop", "--site", site.domain];
  const lines = (await command(env, ...token)).trim().split("\n");
  const settings = Object.fromEntries(lines.map((line) => line.split("=")));
  const agent = await createAgent();
  const directory = await startDirectory("agent.localhost");
  closeAtEnd(directory.close);
  directory.keys = [agent.jwk];
  const app = await startShopApp(settings, directory);
  const own = await (await fetch(`${app.url}/.well-known/agent-card.json`)).text();
  const theirs = await (await fetch(`${url}/v1/agent-card/${site.site_key}.json`)).text();
  expect(own === theirs, "the card on the shop's own domain");
  say(
    "the shop's own application, with the plugin, serves the card, llms.txt and the other documents",
  );
  const page = `http://${site.domain}/prices`;
  const proven = await agent.sign(page, { origin: directory.origin });
  const misused = await agent.sign("http://other.example/", { origin: directory.origin });
  const visitors = [{ ...proven }, { ...misused, "user-agent": "GPTBot/1.2" }];
  for (const headers of visitors) {
    const response = await fetch(`${app.url}/prices`, { headers });
    expect(response.status === 200 && (await response.text()).includes("bouquet"), "the page");
  }
  await app.stop();
  await directory.close();
  const list = await command(env, "visit", "list", site.domain);
  expect(/verified_agent .*verified /.test(list), "a verified agent");
  expect(/GPTBot \(OpenAI\) +invalid \(verification_failed\)/.test(list), "a failed signature");
  say(
    "one agent signed its request, another used a signature for another site; both got the page:",
  );
  for (const line of list.trim().split("\n")) console.log(`      ${line}`);
  shop.open(shopPages(settings));
}
