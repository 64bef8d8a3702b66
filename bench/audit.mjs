/**
 * What a durable record costs, beside the same rows written in the same batches with one bare
 * SHA-256 and one bare Ed25519 signature each: what nobody can avoid who keeps a signed log.
 */
import { generateKeyPairSync, hash, sign } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSite } from "../packages/server/dist/actions/sites/create-site.js";
import { readConfig } from "../packages/server/dist/config/config.js";
import { createContext } from "../packages/server/dist/context.js";
import { openBare, openSqlite } from "./servers/sqlite.mjs";

const BATCH = 256;
const ROUNDS = 15;
/** Written to other logs before, until the code of both is compiled. */
const WARM_UP_BATCHES = 60;
const SINGLE_COMMITS = 300;
const SMALL = 1000;
const LARGE = 200_000;
const GOAL = 0.7;

const LIMITS =
  "What limits it: the signature and the row, which the baseline has too, are three quarters of the cost. The rest is " +
  "the canonical text of the record (about 12 µs), the second hash and the tree (8 µs), checking the record's form (4 µs), " +
  "and the steps of a queue that gives each commit its own answer.\n";

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const percentile = (list, share) =>
  [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))];

/** A decision as the mandate endpoint will record it: about 1.2 KB of canonical JSON. */
function decision(i) {
  const digest = hash("sha256", `request ${i}`);
  return {
    agent: { id: "agt_0123456789abcdef", key_thumbprint: "C".repeat(43) },
    amount: { currency: "EUR", minor: 10_450 },
    client: { address: "203.0.113.0/24" },
    decision: {
      outcome: "approved",
      reason_codes: [],
      facts: {
        agent: { age_days: 40, id: "agt_0123456789abcdef", tags: ["trusted"] },
        cart: { currency: "EUR", total: 10_450 },
        protocol: "ap2",
        skill: "place_order",
        time: { local: "14:05" },
      },
      policy_digest: digest,
      policy_version: 7,
      rules: ["cur-allow", "cart-hard", "cart-review", "agent-day", "ap2-ok"].map((id) => ({
        id,
        result: id === "ap2-ok" ? "matched" : "not_matched",
      })),
    },
    mandate_id: `01JABCDEFGHJKMNPQRST${String(i).padStart(6, "0")}`,
    payment: "requested",
    protocol: "ap2",
    request: { digest, id: `req_${digest.slice(0, 24)}`, method: "POST", route: "mandate" },
    skill: "place_order",
  };
}

/** Our own way in: many commits at once, which the sequencer puts into one batch. */
async function openGatehouse(folder) {
  const config = readConfig({
    GATEHOUSE_MODE: "development",
    GATEHOUSE_LOG: "silent",
    GATEHOUSE_DATA_DIR: folder,
    GATEHOUSE_ADMIN_TOKEN: "a".repeat(32),
  });
  const context = await createContext(config);
  const actor = { kind: "service", id: "bench", role: "service" };
  const openLog = async (domain) => {
    const made = await createSite(context, { domain, name: "Shop" }, actor);
    return made.value.siteKeyHash;
  };
  let site = await openLog("warm.example.com");
  let count = 0;
  // What a door would have at hand when it comes to the log.
  const contents = Array.from({ length: BATCH }, (_, i) => decision(i));
  const one = () => {
    const content = contents[count++ % BATCH];
    const draft = { type: "mandate.decision", occurredAt: Date.now(), content };
    return context.audit.commit(site, async () => ({ records: [draft], answer: null }));
  };
  const batch = () => Promise.all(Array.from({ length: BATCH }, one));
  for (let i = 0; i < WARM_UP_BATCHES; i++) await batch();
  site = await openLog("shop.example.com");
  const size = async () => {
    const sql = "SELECT size FROM audit_chains WHERE site_key_hash = ?";
    return (await context.db.get(sql, site)).size;
  };
  return { context, one, batch, size };
}

/** The table as our migration makes it, in a file of its own, without anything around it. */
function bareLog(folder) {
  const db = openBare(join(folder, "bare.db"));
  const source = openSqlite(join(folder, "gatehouse.db"));
  const sql = "SELECT sql FROM sqlite_master WHERE tbl_name = 'audit_records' AND sql IS NOT NULL";
  for (const row of source.prepare(sql).all()) db.exec(row.sql);
  const rows = source.prepare("SELECT * FROM audit_records WHERE seq > 1 LIMIT 256").all();
  source.close();
  const columns = Object.keys(rows[0]);
  const insert = db.prepare(
    `INSERT INTO audit_records (${columns}) VALUES (${columns.map(() => "?")})`,
  );
  const { privateKey } = generateKeyPairSync("ed25519");
  let seq = 0;
  const write = (count) => {
    db.exec("BEGIN IMMEDIATE");
    for (let i = 0; i < count; i++) {
      const row = rows[i % rows.length];
      const digest = hash("sha256", row.text);
      const signature = sign(null, Buffer.from(digest), privateKey).toString("base64url");
      // As long, as random and as ordered as the real ones: the indexes have the same work.
      const number = String(seq).padStart(8, "0");
      const prev_hash = digest.slice(8) + number;
      const own = { ...row, seq, prev_hash, record_id: number + row.record_id.slice(8) };
      insert.run(...columns.map((name) => (name === "sig" ? signature : own[name])));
      seq++;
    }
    db.exec("COMMIT");
  };
  for (let i = 0; i < WARM_UP_BATCHES; i++) write(BATCH);
  return { batch: () => write(BATCH), one: () => write(1), close: () => db.close() };
}

async function cost(run, records) {
  const cpu = process.cpuUsage();
  const from = performance.now();
  await run();
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: (user + system) / records, wall: ((performance.now() - from) * 1000) / records };
}

/** Both in turn, so that whatever else the machine does falls on both. */
async function interleaved(ours, bare) {
  const samples = [];
  for (let round = 0; round < ROUNDS; round++) {
    samples.push([await cost(ours.batch, BATCH), await cost(bare.batch, BATCH)]);
  }
  const of = (side, kind) => median(samples.map((sample) => sample[side][kind]));
  const ratio = (kind) => median(samples.map(([one, two]) => two[kind] / one[kind]));
  return { of, ratio };
}

async function singles(one) {
  const times = [];
  for (let i = 0; i < SINGLE_COMMITS; i++) {
    const from = performance.now();
    await one();
    times.push(performance.now() - from);
  }
  return [percentile(times, 0.5), percentile(times, 0.99)].map((ms) => ms.toFixed(2));
}

export async function measure() {
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-bench-"));
  const ours = await openGatehouse(folder);
  try {
    while ((await ours.size()) < SMALL) await ours.batch();
    const bare = bareLog(folder);
    const small = await interleaved(ours, bare);
    const oursAlone = await singles(ours.one);
    const bareAlone = await singles(async () => bare.one());
    while ((await ours.size()) < LARGE) {
      await ours.batch();
      bare.batch();
    }
    const large = await interleaved(ours, bare);
    bare.close();
    const ratio = small.ratio("cpu");
    const flat = large.of(0, "cpu") / small.of(0, "cpu");
    const missed = ratio < GOAL;
    const row = (name, result, side) =>
      `| ${name} | ${result.of(side, "cpu").toFixed(1)} | ${result.of(side, "wall").toFixed(1)} |`;
    return {
      missed,
      lines: [
        "## Audit log: durable records (SQLite, every commit synced)\n",
        `Batches of ${BATCH}, records of about 1.2 KB.\n`,
        "| Per record | CPU µs | wall µs |",
        "|---|---|---|",
        row(`Gatehouse, log of ${SMALL}`, small, 0),
        row("same rows and batches, one bare SHA-256 and Ed25519 signature each", small, 1),
        row(`Gatehouse, log of ${LARGE}`, large, 0),
        row(`bare, table of ${LARGE}`, large, 1),
        "",
        `Throughput beside the baseline: ${ratio.toFixed(2)} by CPU, ${small.ratio("wall").toFixed(2)} by wall ` +
          `(goal ≥ ${GOAL}: ${missed ? "MISSED" : "reached"}); at ${LARGE} records ` +
          `${large.ratio("cpu").toFixed(2)} and ${large.ratio("wall").toFixed(2)}.\n`,
        `From ${SMALL} to ${LARGE} records a record costs ${flat.toFixed(2)} times as much CPU ` +
          `(the bare table: ${(large.of(1, "cpu") / small.of(1, "cpu")).toFixed(2)} times).\n`,
        "| One commit per record | p50 ms | p99 ms |",
        "|---|---|---|",
        `| Gatehouse | ${oursAlone.join(" | ")} |`,
        `| bare | ${bareAlone.join(" | ")} |`,
        "",
        LIMITS,
      ],
    };
  } finally {
    await ours.context.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
