/**
 * What an owner's overview of thirty days reads, when there is little to count and when there is much:
 * both installations in one process, asked in turn. Beside it, what counting the rows themselves takes.
 * Filling the larger one takes minutes: every row is written by what the service writes it by.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countDecisions } from "../packages/server/dist/actions/mandates/count-decisions.js";
import { createSite } from "../packages/server/dist/actions/sites/create-site.js";
import { countVisits } from "../packages/server/dist/actions/visits/read-visits.js";
import { readConfig } from "../packages/server/dist/config/config.js";
import { createContext } from "../packages/server/dist/context.js";
import { OUTCOMES } from "../packages/server/dist/domain/decisions/decision.js";
import { insertDecision } from "../packages/server/dist/domain/decisions/store.js";
import { insertVisits } from "../packages/server/dist/domain/visits/store.js";

const SMALL = 10_000;
const LARGE = 1_000_000;
const HOUR_MS = 3_600_000;
const HOURS = 30 * 24;
const AGENTS = 25;
/** Written in one transaction. */
const BATCH = 5_000;
const ROUNDS = 21;
const WARM_UP_ROUNDS = 6;
const READS_PER_ROUND = 10;
/** Counting every row takes so long that few rounds say enough. */
const ROW_ROUNDS = 3;
/** Costs the same, but for what a machine does besides. */
const GOAL = 1.2;

const KINDS = [
  { classification: "person", agent: null },
  { classification: "suspected_automation", agent: null },
  ...["GPTBot", "ClaudeBot", "PerplexityBot", "CCBot"].map((name) => ({
    classification: "declared_agent",
    agent: { name, operator: "bench" },
  })),
];

const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const number = (count) => count.toLocaleString("en");

/** Spread so that the first few thousand touch every hour, agent, outcome and kind there is. */
function nth(n, { siteKeyHash, from }) {
  const id = String(n).padStart(12, "0");
  const at = from + (n % HOURS) * HOUR_MS + (n % HOUR_MS);
  const lap = Math.floor(n / HOURS);
  return {
    decision: {
      decisionId: `dec_${id}`,
      siteKeyHash,
      actorId: `agt_${n % AGENTS}`,
      mandateId: id,
      digest: id,
      skill: "get_pricing",
      protocol: "a2a",
      amount: null,
      reason: null,
      outcome: OUTCOMES[lap % OUTCOMES.length],
      ruleId: "skills",
      rulesEvaluated: 4,
      policyVersion: 1,
      recordId: `rec_${id}`,
      evaluatedAt: at,
      answer: { status: 200, body: { outcome: "approved", mandate_id: id } },
    },
    visit: {
      visitId: `vis_${id}`,
      siteKeyHash,
      observedAt: at,
      receivedAt: at,
      source: "beacon",
      ...KINDS[lap % KINDS.length],
      signature: null,
      offSite: false,
      pageUrl: "https://shop.example.com/prices",
    },
  };
}

/** An installation with so many decisions and visits. */
async function filled(folder, count) {
  const config = readConfig({
    GATEHOUSE_MODE: "development",
    GATEHOUSE_LOG: "silent",
    GATEHOUSE_DATA_DIR: folder,
    GATEHOUSE_ADMIN_TOKEN: "a".repeat(32),
  });
  const context = await createContext(config);
  const actor = { kind: "service", id: "bench", role: "service" };
  const made = await createSite(context, { domain: "shop.example.com", name: "Shop" }, actor);
  const { siteKeyHash } = made.value;
  const from = (Math.floor(Date.now() / (24 * HOUR_MS)) - 30) * 24 * HOUR_MS;
  for (let n = 0; n < count; n += BATCH) {
    const all = Array.from({ length: BATCH }, (_, i) => nth(n + i, { siteKeyHash, from }));
    await context.db.transaction(async (tx) => {
      for (const { decision } of all) await insertDecision(tx, decision);
      await insertVisits(
        tx,
        all.map(({ visit }) => visit),
      );
    });
  }
  return { context, siteKeyHash, span: { from, to: from + HOURS * HOUR_MS }, count };
}

async function rowsOf({ context, siteKeyHash }, table) {
  const sql = `SELECT COUNT(*) AS n FROM ${table} WHERE site_key_hash = ?`;
  return (await context.db.get(sql, siteKeyHash)).n;
}

/** What the routes of an overview do, and must come to. */
const READS = {
  "visits/counts": async ({ context, siteKeyHash, span, count }) => {
    const filter = { ...span, classification: undefined, agent: undefined };
    const { counts } = await countVisits(context, siteKeyHash, filter, "day");
    if (counts.reduce((sum, { visits }) => sum + visits, 0) !== count) throw new Error("visits");
  },
  "decisions/counts": async ({ context, siteKeyHash, span, count }) => {
    const { counts } = await countDecisions(context, siteKeyHash, span, "day");
    if (counts.reduce((sum, one) => sum + one.decisions, 0) !== count) throw new Error("decisions");
  },
};

/** The same counts made of the rows themselves. */
const BY_ROWS = {
  "visits/counts": `SELECT observed_at - observed_at % ${24 * HOUR_MS} AS day, classification, agent_name,
      COUNT(*) AS n FROM visits WHERE site_key_hash = ? AND observed_at >= ? AND observed_at < ?
    GROUP BY 1, 2, 3`,
  "decisions/counts": `SELECT evaluated_at - evaluated_at % ${24 * HOUR_MS} AS day, outcome, actor_id,
      COUNT(*) AS n FROM decisions WHERE site_key_hash = ? AND evaluated_at >= ? AND evaluated_at < ?
    GROUP BY 1, 2, 3`,
};

async function cpuMicros(run, times) {
  const before = process.cpuUsage();
  for (let i = 0; i < times; i++) await run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / times;
}

/** In turn, so that whatever else the machine does falls on both. */
async function interleaved(runs, { rounds, warmUp, times }) {
  const samples = runs.map(() => []);
  for (let round = 0; round < warmUp + rounds; round++) {
    for (const [i, run] of runs.entries()) {
      const sample = await cpuMicros(run, times);
      if (round >= warmUp) samples[i].push(sample);
    }
  }
  return {
    micros: samples.map(median),
    ratio: median(samples[1].map((large, round) => large / samples[0][round])),
  };
}

async function measureRead(name, both) {
  const ours = await interleaved(
    both.map((one) => () => READS[name](one)),
    { rounds: ROUNDS, warmUp: WARM_UP_ROUNDS, times: READS_PER_ROUND },
  );
  const byRows = await interleaved(
    both.map(
      ({ context, siteKeyHash, span: { from, to } }) =>
        () =>
          context.db.all(BY_ROWS[name], siteKeyHash, from, to),
    ),
    { rounds: ROW_ROUNDS, warmUp: 1, times: 1 },
  );
  const row = (title, { micros, ratio }) =>
    `| ${title} | ${micros.map((one) => one.toFixed(0)).join(" | ")} | ${ratio.toFixed(2)} |`;
  return {
    ratio: ours.ratio,
    lines: [
      row(`**\`${name}\`, made of hours and days**`, ours),
      row("… the same counted from the rows", byRows),
    ],
  };
}

export async function measure() {
  const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), "gatehouse-bench-")));
  const both = [];
  try {
    both.push(await filled(folders[0], SMALL), await filled(folders[1], LARGE));
    const tables = ["visit_hours", "outcome_hours", "outcome_agent_days"];
    const counted = await Promise.all(
      both.map((one) => Promise.all(tables.map((table) => rowsOf(one, table)))),
    );
    if (String(counted[0]) !== String(counted[1])) throw new Error(`rows differ: ${counted}`);
    const results = [];
    for (const name of Object.keys(READS)) results.push(await measureRead(name, both));
    const worst = Math.max(...results.map(({ ratio }) => ratio));
    const rows = tables.map((table, i) => `${number(counted[0][i])} of \`${table}\``).join(", ");
    return {
      missed: worst > GOAL,
      lines: [
        "## An overview of thirty days (SQLite)\n",
        `Visits and decisions of ${AGENTS} agents in ${HOURS} hours. There are as many rows of counts at ` +
          `both sizes: ${rows}.\n`,
        `| CPU µs per read | at ${number(SMALL)} | at ${number(LARGE)} | Ratio |`,
        "|---|---|---|---|",
        ...results.flatMap(({ lines }) => lines),
        "",
        `Goal: at ${number(LARGE)} within ${GOAL} times what it costs at ${number(SMALL)}. ` +
          `${worst <= GOAL ? "Reached" : "MISSED"}: ${worst.toFixed(2)}.`,
        "",
      ],
    };
  } finally {
    for (const { context } of both) await context.close();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  }
}
