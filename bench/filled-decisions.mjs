/** Fills installations with decisions and visits of thirty days, and with as many records. */
import { randomBytes, randomUUID } from "node:crypto";
import { readConfig } from "../packages/server/dist/config/config.js";
import { createContext } from "../packages/server/dist/context.js";
import { OUTCOMES } from "../packages/server/dist/domain/decisions/decision.js";
import { insertDecision } from "../packages/server/dist/domain/decisions/store.js";
import { insertVisits } from "../packages/server/dist/domain/visits/store.js";

/** The fewer decisions. */
export const SMALL = 10_000;
const HOUR_MS = 3_600_000;
const HOURS = 30 * 24;
const AGENTS = 25;
/** Decisions of an agent that came now and then. */
const RARE = 20;
/** Written in one transaction. */
const BATCH = 5_000;

const VISITORS = [
  { classification: "person", agent: null },
  { classification: "suspected_automation", agent: null },
  ...["GPTBot", "ClaudeBot", "PerplexityBot", "CCBot"].map((name) => ({
    classification: "declared_agent",
    agent: { name, operator: "bench" },
  })),
];

/** Spread so that the first few thousand touch every hour, agent, outcome and visitor there is. */
function nth(n, { siteKeyHash, from }) {
  const at = from + (n % HOURS) * HOUR_MS + (n % HOUR_MS);
  const lap = Math.floor(n / HOURS);
  const isRare = n % Math.floor(SMALL / RARE) === 0;
  const id = `${at.toString(16).padStart(12, "0")}${randomBytes(18).toString("base64url")}`;
  const mandateId = randomUUID();
  return {
    decision: {
      decisionId: `dec_${id}`,
      siteKeyHash,
      actorId: isRare ? "agt_rare" : `agt_${n % AGENTS}`,
      identity: "",
      pooled: false,
      mandateId,
      digest: randomBytes(32).toString("base64url"),
      skill: "get_pricing",
      protocol: "a2a",
      amount: null,
      reason: null,
      outcome: OUTCOMES[lap % OUTCOMES.length],
      ruleId: "skills",
      rulesEvaluated: 4,
      policyVersion: 1,
      recordId: randomUUID(),
      evaluatedAt: at,
      answer: { status: 200, body: { outcome: "approved", mandate_id: mandateId } },
    },
    visit: {
      visitId: `vis_${id}`,
      siteKeyHash,
      observedAt: at,
      receivedAt: at,
      hour: at - (at % HOUR_MS),
      source: "beacon",
      ...VISITORS[lap % VISITORS.length],
      signature: null,
      offSite: false,
      pageUrl: "https://shop.example.com/prices",
    },
  };
}

/** Writes the fewer decisions and visits, by what the service writes them by. */
export async function fill(env, place) {
  const context = await createContext(readConfig(env));
  for (let n = 0; n < SMALL; n += BATCH) {
    const all = Array.from({ length: BATCH }, (_, i) => nth(n + i, place));
    await context.db.transaction(async (tx) => {
      for (const { decision } of all) await insertDecision(tx, decision);
      await insertVisits(
        tx,
        all.map(({ visit }) => visit),
      );
    });
  }
  await context.close();
}

/** Columns that differ in every copy of a row. The ids begin with their time, as those of the service. */
export const COPIED = {
  decisions: (random) => ({
    decision_id: `SUBSTR(decision_id, 1, 16) || ${random}`,
    mandate_id: random,
    record_id: random,
    evaluated_at: "evaluated_at + n",
  }),
  visits: (random) => ({
    visit_id: `SUBSTR(visit_id, 1, 16) || ${random}`,
    observed_at: "observed_at + n",
  }),
};
const COUNTED = {
  outcome_hours: "decisions",
  outcome_agent_days: "decisions",
  decision_hours: "decisions",
  visit_hours: "visits",
};

/** The statements that make many rows of the fewer ones, except those of the agent that came now and then. */
export function multiply(count, columnsOf, { numbers, random }) {
  const copies = Math.round(count / SMALL) - 1;
  const copied = Object.entries(COPIED).map(([name, changed]) => {
    const values = { ...changed(random) };
    const columns = columnsOf[name];
    const selected = columns.map((column) => values[column] ?? column);
    const rare = name === "decisions" ? " WHERE actor_id <> 'agt_rare'" : "";
    return `INSERT INTO ${name} (${columns.join(", ")})
      SELECT ${selected.join(", ")} FROM ${name} CROSS JOIN ${numbers(copies)}${rare}`;
  });
  const counted = Object.entries(COUNTED).map(
    ([name, column]) => `UPDATE ${name} SET ${column} = ${column} * ${copies + 1}`,
  );
  return copies === 0 ? [] : [...copied, ...counted];
}

/** Records of a log of its own, like the last one there is: as many as the decisions. */
export const recordsLike = (count, { numbers, random }) => `INSERT INTO audit_records
  (chain, seq, prev_hash, record_id, type, recorded_at, text, hash, sig, key_id, closed)
  SELECT 'filled', n, ${random}, ${random}, type, recorded_at, text, ${random}, sig, key_id, closed
  FROM ${numbers(count)} CROSS JOIN (${RECORD}) AS one`;
export const RECORD = "SELECT * FROM audit_records WHERE type = 'mandate.decision' LIMIT 1";

export const SQLITE = {
  numbers: (count) => `(WITH RECURSIVE upto(n) AS
    (SELECT 1 UNION ALL SELECT n + 1 FROM upto WHERE n < ${count}) SELECT n FROM upto)`,
  random: "LOWER(HEX(RANDOMBLOB(16)))",
};
export const POSTGRES = {
  numbers: (count) => `generate_series(1, ${count}) AS n`,
  random: "gen_random_uuid()::text",
};
