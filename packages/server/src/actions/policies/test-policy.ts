import {
  type Evaluation,
  factsNeeded,
  type JsonObject,
  ok,
  type Policy,
  type PolicyFinding,
  policyFindings,
  type Result,
  readPolicy,
  readPolicyFacts,
  readPoolFacts,
  refuse,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { LogReader } from "../../domain/audit/log-reader.js";
import { RECORD_IDS_MAX } from "../../domain/audit/records/store.js";
import type { Decision } from "../../domain/decisions/decision.js";
import { Book } from "../../domain/decisions/history/book.js";
import { loadHistory } from "../../domain/decisions/history/load.js";
import { lastDecisions } from "../../domain/decisions/store.js";
import { currentPolicy } from "../../domain/policies/store.js";
import { approvalsSince } from "../../domain/reviews/store.js";
import type { Queries } from "../../infra/db/database.js";
import { DAY_MS } from "../../infra/time.js";
import { BudgetSpentError, WorkBudget } from "../../infra/work-budget.js";
import { type PolicySite, policySiteFacts } from "./read-policies.js";
import {
  type PastEvaluation,
  type PolicyResult,
  PolicySimulation,
  type TestedDecision,
} from "./simulation.js";

/** Decisions that a draft is tested on by default. */
export const TESTED_DECISIONS = 100;
export const TESTED_DECISIONS_MAX = 1_000;
export const TESTED_DAYS_MAX = 366;
const TEST_MS_MAX = 10_000;
/** Rows of earlier decisions. A window of a month on a busy site would otherwise read any number. */
const HISTORY_ROWS_MAX = 100_000;
/** Decisions between two pauses for other work: some milliseconds with the most rules allowed. */
const DECISIONS_PER_TURN = 10;

const BUSY = "Other drafts are being tested now. Try again shortly.";
const TOO_LONG = `The test took longer than ${TEST_MS_MAX / 1000} seconds. Test fewer decisions.`;
const TOO_MANY =
  "There are too many decisions within the time windows of this policy. Test fewer decisions, or use shorter windows.";

type OutcomeCounts = Record<Evaluation["outcome"], number>;

export interface PolicyTest {
  readonly findings: readonly PolicyFinding[];
  readonly tested: number;
  /** How many of the tested decisions have an amount. */
  readonly purchases: number;
  readonly changed: readonly TestedDecision[];
  readonly summary: { readonly was: OutcomeCounts; readonly wouldBe: OutcomeCounts };
}

/** What a draft is compared with: the decisions as they were made, or as the rules in force now would make them. */
export const COMPARED_WITH = ["decisions", "rules_in_force"] as const;

/** The decisions that a draft is tested on: the last ones, at most so many, and not older than so many days. */
export interface TestedSpan {
  readonly last: number;
  readonly days?: number | undefined;
  /** `decisions` unless said. */
  readonly compareWith?: (typeof COMPARED_WITH)[number] | undefined;
}

/** Loads the data for a test, without the records, which never change. */
async function loadPast(
  db: Queries,
  siteKeyHash: string,
  policy: Policy,
  newest: { readonly limit: number; readonly since: number },
  budget: WorkBudget,
) {
  const decisions = await lastDecisions(db, siteKeyHash, newest);
  const [first, last] = [decisions[0], decisions.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const approvals = await approvalsSince(db, siteKeyHash, first.evaluatedAt);
  await budget.turn();
  const { count, spend } = factsNeeded(policy);
  const period = {
    first,
    last,
    identities: [...new Set(decisions.map(({ identity }) => identity))],
  };
  const decided = await loadHistory(db, period, "decisions", count, budget);
  const spent = await loadHistory(db, period, "minor", spend, budget);
  return { decisions, approvals, decided, spent };
}

/** Reads the result and the facts of a past evaluation from its signed record. */
function readEvaluation(recordId: string, text: string | undefined): PastEvaluation {
  if (text === undefined) throw new Error(`decision without its record ${recordId}`);
  const { decision } = JSON.parse(text) as { decision: JsonObject };
  const facts = readPolicyFacts(decision.facts ?? {});
  if (!facts.ok) throw new Error(`record ${recordId} has no facts: ${facts.detail}`);
  const pool = decision.pool === undefined ? undefined : readPoolFacts(decision.pool);
  if (pool?.ok === false) throw new Error(`record ${recordId} has no pool: ${pool.detail}`);
  const outcome = decision.outcome as Evaluation["outcome"];
  const was: PolicyResult = { outcome, ruleId: (decision.rule_id as string | undefined) ?? null };
  return { was, facts: facts.value, pool: pool?.value };
}

/** Past evaluations by record id. Decisions that were made without rules have none. */
async function loadEvaluations(
  reader: LogReader,
  siteKeyHash: string,
  decisions: readonly Decision[],
  budget: WorkBudget,
): Promise<ReadonlyMap<string, PastEvaluation>> {
  const evaluated = decisions.filter(({ policyVersion }) => policyVersion !== null);
  const evaluations = new Map<string, PastEvaluation>();
  for (let from = 0; from < evaluated.length; from += RECORD_IDS_MAX) {
    const ids = evaluated.slice(from, from + RECORD_IDS_MAX).map(({ recordId }) => recordId);
    const texts = await reader.recordTexts(siteKeyHash, ids);
    for (const id of ids) evaluations.set(id, readEvaluation(id, texts.get(id)));
    await budget.turn();
  }
  return evaluations;
}

async function runDraft(
  { audit, clock, db }: Context,
  siteKeyHash: string,
  policy: Policy,
  { last, days }: TestedSpan,
): Promise<readonly TestedDecision[]> {
  const newest = { limit: last, since: days === undefined ? 0 : clock.now() - days * DAY_MS };
  const budget = new WorkBudget(clock, { msMax: TEST_MS_MAX, rowsMax: HISTORY_ROWS_MAX });
  // A snapshot holds a connection that mandates wait for, so it ends before anything is decided.
  const past = await db.snapshot((reader) => loadPast(reader, siteKeyHash, policy, newest, budget));
  if (past === undefined) return [];
  const { decisions, approvals, decided, spent } = past;
  const records = await loadEvaluations(
    new LogReader(db, audit.archive),
    siteKeyHash,
    decisions,
    budget,
  );
  const books = { decisions: new Book(decided), minor: new Book(spent) };
  const simulation = new PolicySimulation(policy, books, approvals, budget);
  const tested: TestedDecision[] = [];
  for (const [place, decision] of decisions.entries()) {
    if (place % DECISIONS_PER_TURN === 0) await budget.turn();
    const result = await simulation.decide(decision, records.get(decision.recordId));
    if (result !== undefined) tested.push(result);
  }
  return tested;
}

/** The tested decisions with the result of the rules in force instead of the one they had. */
async function comparedWithCurrent(
  context: Context,
  siteKeyHash: string,
  tested: readonly TestedDecision[],
  span: TestedSpan,
): Promise<readonly TestedDecision[]> {
  const current = await currentPolicy(context.db, siteKeyHash);
  const read = current === undefined ? undefined : readPolicy(current.document);
  if (!read?.ok) return tested;
  const now = await runDraft(context, siteKeyHash, read.value, span);
  const verdicts = new Map(now.map(({ decision, wouldBe }) => [decision.decisionId, wouldBe]));
  // A request that came between the two runs is in neither result.
  return tested.flatMap(({ decision, wouldBe }) => {
    const was = verdicts.get(decision.decisionId);
    return was === undefined ? [] : [{ decision, was, wouldBe }];
  });
}

const countsOf = (verdicts: readonly PolicyResult[]): OutcomeCounts => {
  const counts = { approved: 0, escalated: 0, rejected: 0 };
  for (const { outcome } of verdicts) counts[outcome]++;
  return counts;
};

function summarize(
  findings: readonly PolicyFinding[],
  tested: readonly TestedDecision[],
): PolicyTest {
  return {
    findings,
    tested: tested.length,
    purchases: tested.filter(({ decision }) => decision.amount !== null).length,
    changed: tested.filter(({ was, wouldBe }) => was.outcome !== wouldBe.outcome),
    summary: {
      was: countsOf(tested.map(({ was }) => was)),
      wouldBe: countsOf(tested.map(({ wouldBe }) => wouldBe)),
    },
  };
}

/** Tests a draft on the last decisions of a site, read from one snapshot. Nothing is written. */
export async function testPolicy(
  context: Context,
  site: PolicySite,
  document: JsonObject,
  span: TestedSpan,
): Promise<Result<PolicyTest, "invalid_request" | "rate_limited" | "unavailable">> {
  const read = readPolicy(document);
  if (!read.ok) return refuse("invalid_request", `policy: ${read.detail}.`);
  const policy = read.value;
  const { siteKeyHash } = site;
  try {
    const run = await context.policyTests.run(siteKeyHash, async () => {
      const findings = policyFindings(policy, await policySiteFacts(context.db, site));
      const tested = await runDraft(context, siteKeyHash, policy, span);
      const compared =
        span.compareWith === "rules_in_force"
          ? await comparedWithCurrent(context, siteKeyHash, tested, span)
          : tested;
      return summarize(findings, compared);
    });
    return run === undefined ? refuse("rate_limited", BUSY) : ok(run.result);
  } catch (error) {
    if (!(error instanceof BudgetSpentError)) throw error;
    if (error.resource === "time") return refuse("unavailable", TOO_LONG);
    return refuse("invalid_request", TOO_MANY);
  }
}
