/** What an auditor does: take the logs away, and prove them by the keys alone. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ask, command, expect, json, refused } from "./hand.mjs";

const dayOf = (ms) => new Date(ms).toISOString().slice(0, 10);
const DAY_MS = 86_400_000;

/** Every UTC day since then: a drill may run over midnight. */
function daysSince(began) {
  const days = [dayOf(began)];
  for (let at = began + DAY_MS; days.at(-1) < dayOf(Date.now()); at += DAY_MS) days.push(dayOf(at));
  return days;
}

/** The files of one log, whole. */
export async function exportLog(env, { domain, chain, began }, folder) {
  mkdirSync(folder, { recursive: true });
  const { items: logs } = await json(env, "audit", "logs", domain);
  const log = logs.find((one) => one.chain === chain);
  expect(log !== undefined, `the log ${chain}`);
  const days = daysSince(began).filter(
    (day) => log.first_day <= day && (log.state === "open" || day <= log.last_day),
  );
  const files = [];
  for (const day of days) {
    const words = ["--day", day, "--chain", chain, "--out", folder];
    files.push(...(await json(env, "audit", "export", domain, ...words)).files);
  }
  return files;
}

/** The public audit keys as they are listed now: whom an auditor trusts. */
export async function keepKeys(env, file) {
  const { status, text } = await ask(env, "/.well-known/audit-jwks.json");
  expect(status === 200, "the audit keys to be listed");
  writeFileSync(file, text);
  return file;
}

export async function keepCheckpoint(env, domain, file) {
  writeFileSync(file, `${await command(env, "audit", "checkpoint", domain)}\n`);
  return file;
}

const verifying = (files, keys, more) => [
  "audit",
  "verify",
  ...files,
  ...keys.flatMap((key) => ["--key", key]),
  "--replay",
  ...more,
];

/** Everything must hold: integrity, completeness, anchoring, and every decision made again. */
export async function verifyLogs(env, files, keys, ...more) {
  return command(env, ...verifying(files, keys, more));
}

/** Something must be missing, and be named. */
export async function missingFrom(env, files, keys) {
  const refusal = await refused(env, ...verifying(files, keys, []));
  const line = refusal
    .split("\n")
    .find((one) => /records? \d+(?: to \d+)? (?:is|are) lost/.test(one));
  expect(line !== undefined, `the lost records to be named, but: ${refusal}`);
  return line.replace(/\s+/g, " ").trim();
}

/** The records of exported files, in the order given. */
export function recordsOf(files) {
  return files.flatMap((file) =>
    JSON.parse(readFileSync(file, "utf8")).bundle.records.map(({ record }) => record),
  );
}

/** The last checkpoint an installation has published of a log, as it keeps it. */
export function publishedOf(dataDir, chain) {
  const file = join(dataDir, "checkpoints", `${chain.replace(/[/:]/g, "_")}.txt`);
  return readFileSync(file, "utf8");
}
