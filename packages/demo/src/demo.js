/**
 * Walks through the product on a throw-away installation, and prints each step in plain words. Ends with an error
 * if an answer is not what it should be. With `once` it stops there; otherwise it keeps serving.
 */
import { join } from "node:path";
import { openPlatform } from "../../../examples/ucp-buyer/platform.js";
import { openWebhooks, walkAfterSale, walkCheckout } from "./checkout.js";
import { walkDiscovery, walkMcp, walkSignatures, walkVerification } from "./discovery.js";
import { walkHandOff } from "./hand-off.js";
import { walkAudit, walkMaintenance } from "./maintenance.js";
import { walkMandates, walkOrders } from "./mandates.js";
import { walkAccess, walkSites } from "./sites.js";
import {
  asking,
  choosePort,
  closeAll,
  closeAtEnd,
  environment,
  expect,
  folder,
  listeningAt,
  openStage,
  say,
  startGatehouse,
  startShop,
} from "./stage.js";
import { ownerLine, thingsToTry } from "./things-to-try.js";
import { walkVisits } from "./visits.js";

/** Everything that runs for the walk. */
async function open(port) {
  const shop = await startShop();
  const keyFile = join(folder, "platform-key.json");
  const webhooks = openWebhooks();
  const platform = await openPlatform({ keyFile, servePort: 0, onWebhook: webhooks.handler });
  closeAtEnd(() => platform.stop());
  const allowed = [shop.domain, new URL(platform.url).host].join(",");
  const env = environment("data", { GATEHOUSE_FETCH_ALLOW: allowed, ...listeningAt(port) });
  const { url, token } = await startGatehouse(env);
  return { shop, webhooks, platform: { ...platform, keyFile }, env, url, token };
}

async function walkAll({ shop, webhooks, platform, env, url, token }) {
  const ask = asking(url, token);
  const version = await (await fetch(`${url}/version`)).json();
  expect((await fetch(`${url}/readyz`)).status === 200, "a ready service");
  say(`Gatehouse ${version.version} runs at ${url} in an empty folder, with SQLite`);
  const site = await walkSites(ask, shop);
  await walkAccess(ask, site);
  await walkSignatures();
  const card = await walkDiscovery(ask, url, site);
  await walkVerification(env, card);
  await walkMcp(env, card);
  await walkVisits(env, url, { site, shop });
  await walkMandates(env, url, site);
  await walkOrders(env, url, site);
  const profileUrl = `${url}/v1/ucp/${site.site_key_hash}/profile`;
  for (const named of [profileUrl, `http://${site.domain}/.well-known/ucp`]) {
    webhooks.shops.set(named, profileUrl);
  }
  await walkCheckout(env, url, { site, platform });
  await walkHandOff(ask, url, site);
  await walkAfterSale(env, url, { site, platform, webhooks });
  await walkAudit(env, url, site);
  await walkMaintenance(ask, env);
  for (const path of ["/", "/llms.txt", "/.well-known/agent-card.json", "/.well-known/ucp"]) {
    expect((await fetch(shop.url + path)).status === 200, `the shop to serve ${path}`);
  }
  return site;
}

/** What to try next, while everything still runs. */
function printNextSteps({ url, shop, env }, things) {
  console.log(
    `\nThe service is at ${url}, the shop at http://${shop.domain}/. Five things to try:\n`,
  );
  for (const [i, { title, lines }] of things.entries()) {
    console.log(` ${i + 1}. ${title}`);
    for (const line of lines) console.log(`      ${line}`);
  }
  console.log("\nTo use every command as the owner, in another terminal of this folder:");
  console.log(`      ${ownerLine(env)}`);
  console.log(`      npx gatehouse agent list ${shop.domain}`);
  console.log(`\nThe guides: ${url}/docs. For your own site: \`npx gatehouse init\`.`);
  console.log("Ctrl-C stops everything and cleans up.");
}

const interrupted = () =>
  new Promise((resolve) => {
    process.once("SIGINT", resolve);
    process.once("SIGTERM", resolve);
  });

/** `bin` is the command line to walk with. If it is interrupted, it stops what it started. */
export async function demo({ bin, once, port }) {
  const interrupt = interrupted();
  openStage(bin);
  const walk = async () => {
    const stage = await open(await choosePort(once ? 0 : port));
    const site = await walkAll(stage);
    const things = await thingsToTry(stage, site);
    console.log("\nEverything worked.");
    if (once) return;
    printNextSteps(stage, things);
    await interrupt;
  };
  const walking = walk();
  try {
    await Promise.race([walking, interrupt]);
  } finally {
    await closeAll();
    // The walk may have been opening something. That fails now, and is closed as well.
    await walking.catch(() => undefined);
    await closeAll();
  }
}
