/**
 * The operator's drill: an installation of the first release is brought up to date, used, backed up,
 * given new keys, used again and lost; the backup is restored elsewhere, and the logs of both are
 * proven together. By the command and HTTP alone, as an operator would. Exits with 1 if an answer
 * is not what it should be. docs/operations/drill.md says more.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { makeFirstInstallation, refuseOccupied } from "./drill/first-schema.mjs";
import {
  ask,
  clearUp,
  command,
  doStep,
  expect,
  folder,
  freePort,
  json,
  refused,
  serve,
} from "./drill/hand.mjs";
import {
  exportLog,
  keepCheckpoint,
  keepKeys,
  missingFrom,
  publishedOf,
  recordsOf,
  verifyLogs,
} from "./drill/logs.mjs";
import { countOf, openShop, sendTraffic } from "./drill/traffic.mjs";

const OLD_SITE = "first.example.com";
const SHOP = "shop.example.com";
const LOG = `${SHOP}/audit/1`;
const began = Date.now();
/** What a shell calls the end by each of them. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 };

function environment(name, databaseUrl, port) {
  return {
    PATH: process.env.PATH,
    GATEHOUSE_MODE: "development",
    GATEHOUSE_LOG: "warn",
    GATEHOUSE_PORT: String(port),
    GATEHOUSE_BASE_URL: `http://127.0.0.1:${port}`,
    GATEHOUSE_DATA_DIR: join(folder, name),
    ...(databaseUrl === undefined ? {} : { GATEHOUSE_DATABASE_URL: databaseUrl }),
  };
}

async function kidsOf(env) {
  const { items } = await json(env, "key", "list");
  const current = items.filter(({ state }) => state === "current");
  return Object.fromEntries(current.map(({ purpose, kid }) => [purpose, kid]));
}

/** Starts this version on what the first release left. */
async function upgrade(env, first) {
  const service = await serve(env);
  const { schema_version } = JSON.parse((await ask(env, "/version")).text);
  expect(schema_version > first.schema, "a newer schema");
  const kids = await kidsOf(env);
  expect(JSON.stringify(kids) === JSON.stringify(first.kids), "the same keys to sign as before");
  const card = `${env.GATEHOUSE_BASE_URL}/v1/agent-card/${first.siteKey}.json`;
  await command(env, "verify", card);
  const { status } = await json(env, "site", "show", OLD_SITE);
  expect(status === "verified", "the old site as it was");
  const copies = join(env.GATEHOUSE_DATA_DIR, "backups");
  const copied = existsSync(copies) ? readdirSync(copies) : [];
  const sqlite = env.GATEHOUSE_DATABASE_URL === undefined;
  expect(copied.length === (sqlite ? 1 : 0), "one copy of an SQLite file before it was changed");
  return { service, schema: schema_version };
}

/** Puts the announced keys to work. A second time at once would surprise verifiers, and is refused. */
async function rotate(env, shop, keptCard) {
  const before = await kidsOf(env);
  for (const purpose of ["card", "audit"]) await command(env, "key", "rotate", purpose);
  const after = await kidsOf(env);
  expect(before.card !== after.card && before.audit !== after.audit, "two new keys");
  await refused(env, "key", "rotate", "card");
  await command(env, "verify", shop.card);
  await command(env, "verify", keptCard, "--keys", env.GATEHOUSE_BASE_URL);
  return after;
}

/** Ends the log, so that it can be taken away whole: an export is in the log after what it shows. */
async function takeLogAway(env, evidence) {
  const reason = "a drill: this machine is given up";
  const next = await json(env, "audit", "renew", SHOP, "--force", "--reason", reason);
  const files = [];
  for (const chain of [LOG, next.chain]) {
    files.push(...(await exportLog(env, { domain: SHOP, began, chain }, join(evidence, "first"))));
  }
  const keys = await keepKeys(env, join(evidence, "keys-first.json"));
  await verifyLogs(env, files, [keys]);
  return {
    files,
    keys,
    rotated: recordsOf(files).some(({ type }) => type === "chain.key_rotated"),
  };
}

/** Whether the log of the restored installation says itself where the one before it ended. */
function checkGenesis(genesis, published, left) {
  expect(genesis.type === "chain.genesis" && genesis.reason === "restored", "a genesis");
  const { previous } = genesis;
  expect(previous.chain === LOG, "the genesis to name the log before it");
  expect(previous.checkpoint === published, "the genesis to name the last checkpoint published");
  expect(previous.records_left === left, `the genesis to say that ${left} records are left`);
}

/** The logs of both installations together; then those of the second, which has not got all. */
async function proveAll(env, evidence, { taken, published, checkpoint }) {
  const { items: logs } = await json(env, "audit", "logs", SHOP);
  const open = logs.find(({ state }) => state === "open");
  const { records: left } = logs.find(({ chain }) => chain === LOG);
  const log = { domain: SHOP, began };
  const files = await exportLog(env, { ...log, chain: open.chain }, join(evidence, "second"));
  checkGenesis(recordsOf(files)[0], published, left);
  const keys = [taken.keys, await keepKeys(env, join(evidence, "keys-second.json"))];
  await verifyLogs(env, [...taken.files, ...files], keys, "--checkpoint", checkpoint);
  const part = await exportLog(env, { ...log, chain: LOG }, join(evidence, "left"));
  const lost = await missingFrom(env, [...part, ...files], keys);
  return { chain: open.chain, left, lost };
}

async function walk({ database, "restore-into": restoreInto }) {
  const port = await freePort();
  const first = environment("first", database, port);
  const second = environment("second", restoreInto, port);
  for (const env of [first, second]) await refuseOccupied(env);
  const evidence = join(folder, "evidence");
  mkdirSync(evidence);
  const backup = join(folder, "drill.backup");
  const keptCard = join(folder, "kept-card.json");
  const checkpoint = join(folder, "kept-checkpoint.txt");
  let madeInstallation;
  let service;
  let shop;
  let taken;

  await doStep(async () => {
    madeInstallation = await makeFirstInstallation(first, OLD_SITE);
    return `made an installation of the first release: schema ${madeInstallation.schema}, one site, its keys`;
  });
  await doStep(async () => {
    const up = await upgrade(first, madeInstallation);
    service = up.service;
    return `started this version on it: schema ${up.schema}; the site and its keys are as they were`;
  });
  await doStep(async () => {
    shop = await openShop(first, folder, SHOP);
    writeFileSync(keptCard, (await ask(first, new URL(shop.card).pathname)).text);
    return `took ${SHOP} on: rules, products, an agent that may ask`;
  });
  await doStep(async () => `sent ${await sendTraffic(first, shop)}`);
  await doStep(async () => {
    await keepCheckpoint(first, SHOP, checkpoint);
    return (await command(first, "backup", "--out", backup)).split("\n")[0].replace(folder, "…");
  });
  await doStep(async () => {
    const { card, audit } = await rotate(first, shop, keptCard);
    return `rotated both keys: ${card} and ${audit} sign now; what the old ones signed still holds`;
  });
  await doStep(async () => `sent ${await sendTraffic(first, shop)}, by the new keys`);
  await doStep(async () => {
    taken = await takeLogAway(first, evidence);
    expect(taken.rotated, "the new audit key to be recorded");
    await service.stop();
    return "took the whole log away, proved it with every decision made again, and gave the machine up";
  });
  await doStep(async () => {
    const [from, to] = [first, second].map((env) => join(env.GATEHOUSE_DATA_DIR, "checkpoints"));
    cpSync(from, to, { recursive: true });
    const key = join(first.GATEHOUSE_DATA_DIR, "secrets.key");
    const output = await command(second, "restore", backup, "--secrets-key-file", key);
    const findings = await command(second, "doctor");
    expect(!/^✗/m.test(findings), `doctor to find nothing wrong, but: ${findings}`);
    return `${output.split("\n")[0]} The published checkpoints were copied there first`;
  });
  await doStep(async () => {
    service = await serve(second);
    expect((await countOf(second, shop, "order")) === 1, "the one order of before the backup");
    return "started it at the address of the old one: what was backed up is there, and no more";
  });
  await doStep(async () => {
    const { card, audit } = await rotate(second, shop, keptCard);
    return `its keys were those of the backup, so they were rotated again: ${card} and ${audit} sign`;
  });
  await doStep(async () => `sent ${await sendTraffic(second, shop)}`);
  await doStep(async () => {
    const published = publishedOf(first.GATEHOUSE_DATA_DIR, LOG);
    const { chain, lost } = await proveAll(second, evidence, { taken, published, checkpoint });
    await service.stop();
    return (
      `the restored log ${chain} begins with the last checkpoint of ${LOG}; all logs hold together. ` +
      `Without what was taken away the loss is told: ${lost}`
    );
  });
}

async function main() {
  const { values } = parseArgs({
    options: { database: { type: "string" }, "restore-into": { type: "string" } },
  });
  if ((values.database === undefined) !== (values["restore-into"] === undefined)) {
    console.error("--database and --restore-into go together: two empty PostgreSQL databases.");
    return 2;
  }
  const kind = values.database === undefined ? "SQLite" : "PostgreSQL";
  console.log(`The operator's drill, on ${kind}:\n`);
  await walk(values);
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(`\nEverything worked, in ${seconds} s.`);
  return 0;
}

let ending = false;

/** Once: what is under way when a signal comes fails by it, and that is no finding of the drill. */
async function end(code, why) {
  if (ending) return;
  ending = true;
  if (why !== undefined) console.error(`\n${why}`);
  await clearUp();
  process.exit(code);
}

for (const [signal, code] of Object.entries(SIGNALS)) {
  process.on(signal, () => end(code, "The drill was ended; nothing of it is left."));
}
main().then(end, ({ message }) => end(1, message));
