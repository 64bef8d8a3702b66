/**
 * Walks the product on a throw-away installation, saying each step in plain words. Ends with an error
 * if an answer is not what it should be. With `once` it stops there; otherwise it keeps serving.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { openPlatform } from "../../../examples/ucp-buyer/platform.js";
import { openHearing, walkAfterSale, walkCheckout } from "./checkout.js";
import { walkDiscovery, walkMcp, walkSignatures, walkVerification } from "./discovery.js";
import { walkMandates, walkOrders } from "./mandates.js";
import { walkAccess, walkSites } from "./sites.js";
import {
  asking,
  command,
  environment,
  expect,
  folder,
  say,
  startGatehouse,
  startShop,
  useCommand,
} from "./stage.js";
import { walkAudit, walkUpkeep } from "./upkeep.js";
import { walkVisits } from "./visits.js";

/** Everything that runs for the walk, and how to stop all of it. */
async function open() {
  const shop = await startShop();
  const keyFile = join(folder, "platform-key.json");
  const hearing = openHearing();
  const platform = await openPlatform({ keyFile, servePort: 0, desk: hearing.desk });
  const allowed = [shop.domain, new URL(platform.url).host].join(",");
  const env = environment("data", { GATEHOUSE_FETCH_ALLOW: allowed });
  const { child, url, token } = await startGatehouse(env);
  const stop = () =>
    new Promise((resolve) => {
      child.removeAllListeners("exit").on("exit", resolve);
      child.kill("SIGTERM");
    }).finally(() => {
      shop.server.close();
      platform.stop();
      rmSync(folder, { recursive: true, force: true });
    });
  return { shop, hearing, platform: { ...platform, keyFile }, env, url, token, stop };
}

async function walkAll({ shop, hearing, platform, env, url, token }) {
  const ask = asking(url, token);
  const version = await (await fetch(`${url}/version`)).json();
  expect((await fetch(`${url}/readyz`)).status === 200, "a ready service");
  say(`Gatehouse ${version.version} runs at ${url} on an empty folder, with SQLite inside`);
  const site = await walkSites(ask, shop);
  await walkAccess(ask, site);
  await walkSignatures();
  const card = await walkDiscovery(ask, url, site);
  await walkVerification(env, card);
  await walkMcp(env, url, card);
  await walkVisits(env, url, site);
  await walkMandates(env, url, site);
  await walkOrders(env, url, site);
  hearing.shops.add(`${url}/v1/ucp/${site.site_key_hash}/profile`);
  await walkCheckout(env, url, { site, platform });
  await walkAfterSale(env, url, { site, platform, hearing });
  await walkAudit(env, url, site);
  await walkUpkeep(ask, env);
  return site;
}

/** What to do next, with what still runs. */
async function sayHowToGoOn({ env, url, token }, site) {
  console.log(`\nStill serving at ${url}. Try, in another terminal:`);
  const here = `GATEHOUSE_BASE_URL=${url} GATEHOUSE_MODE=development GATEHOUSE_ADMIN_TOKEN=${token}`;
  console.log(`  ${here} npx gatehouse site list`);
  console.log(`  curl ${url}/v1/agent-card/${site.site_key}.json`);
  const link = await command({ ...env, GATEHOUSE_BASE_URL: url }, "token", "link");
  console.log(`The console, signed in once within ten minutes: ${link.trim()}`);
  console.log("For a site of your own: `npx gatehouse init`. The guides:");
  console.log(`  ${url}/docs`);
  console.log("Ctrl-C stops and cleans up.");
}

const interrupted = () =>
  new Promise((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });

/** `bin` is the command line to walk with. Interrupted anywhere, it stops what it started. */
export async function demo({ bin, once }) {
  useCommand(bin);
  const enough = interrupted();
  const stage = await open();
  const walk = async () => {
    const site = await walkAll(stage);
    console.log("\nEverything answered as it should.");
    if (once) return;
    await sayHowToGoOn(stage, site);
    await enough;
  };
  try {
    await Promise.race([walk(), enough]);
  } finally {
    await stage.stop();
  }
}
