import {
  evaluatePolicy,
  type JsonObject,
  type PolicyVersion,
  policyDigest,
  policyReasons,
  readPolicy,
  readPolicyFacts,
} from "../src/index.ts";

const over = (limit: string) => ({ "cart.total": { gt: { EUR: limit } } });

/** Orders go through up to 500; two people are asked above that, and above 1,000 nobody. */
const RULES = [
  { id: "buying", effect: "allow", when: { skill: { in: ["place_order", "get_pricing"] } } },
  {
    id: "ask",
    effect: "escalate",
    when: over("500.00"),
    escalation: { expires_in: "PT4H", approvals: 2 },
  },
  { id: "never", effect: "deny", when: over("1000.00") },
  {
    id: "day",
    effect: "deny",
    when: { spend: { scope: "agent", window: "P1D", would_exceed: { EUR: "1500.00" } } },
  },
  { id: "often", effect: "deny", when: { count: { scope: "site", window: "PT1H", gt: 9 } } },
];

/** A version of rules as exports carry it. */
async function versionOf(version: number, rules = RULES): Promise<PolicyVersion> {
  const policy = { policy: "rules/1", timezone: "UTC", default: "deny" };
  const document = { ...policy, version, rules } as JsonObject;
  return { version, digest: await policyDigest(document), document };
}

/** The rules of these logs; and laxer ones. */
export const rules = await versionOf(1);
export const lax = await versionOf(2, RULES.slice(0, 1));

export const published = ({ version, digest }: PolicyVersion): JsonObject => ({
  type: "site.changed",
  change: { kind: "policy_published", policy_version: version, policy_digest: digest },
});

interface Asked {
  readonly agent?: string;
  readonly mandate?: string;
  readonly skill?: string;
  readonly minor?: number;
  /** What the counters of the rules say. */
  readonly spent?: number;
  readonly count?: number;
  /** Whether a buyer pays on the provider's own page. */
  readonly buyer?: boolean;
  readonly by?: PolicyVersion;
}

/** The `decision` of a record, as one who follows the rules writes it. */
function decisionOn(facts: JsonObject, { version, digest, document } = rules): JsonObject {
  const [policy, read] = [readPolicy(document), readPolicyFacts(facts)];
  if (!policy.ok || !read.ok) throw new Error("not a policy with its facts");
  const evaluation = evaluatePolicy(policy.value, read.value);
  const { outcome, rule, rules } = evaluation;
  const reason_codes = policyReasons(policy.value, evaluation).codes;
  return {
    outcome,
    reason_codes,
    facts,
    rules: rules as unknown as JsonObject[],
    ...(rule === null ? {} : { rule_id: rule }),
    policy_version: version,
    policy_digest: digest,
  };
}

/** The record of a decision about a mandate. */
export function decided(asked: Asked = {}) {
  const { agent = "agt_1", mandate = "m-1", skill = "place_order", minor = 10_000 } = asked;
  const { spent = 0, count = 0, buyer = false, by = rules } = asked;
  const facts = {
    skill,
    protocol: "a2a",
    cart: { total: minor, currency: "EUR" },
    agent: { id: agent, tags: [], age_days: 3 },
    time: { local: "12:00" },
    ...(buyer ? { buyer: { present: true } } : {}),
    spend: [{ scope: "agent", window: "P1D", currency: "EUR", minor: spent }],
    count: [{ scope: "site", window: "PT1H", value: count }],
  };
  const decision = decisionOn(facts, by);
  return {
    type: "mandate.decision",
    protocol: "a2a",
    skill,
    decision,
    agent: { id: agent, key_thumbprint: "kid" },
    amount: { currency: "EUR", minor },
    mandate: { digest: mandate.padEnd(64, "0"), mandate_id: mandate },
    ...(decision.outcome === "approved" ? { payment: "requested" } : {}),
    ...(decision.outcome === "escalated" ? { escalation_id: `esc-${mandate}` } : {}),
  };
}

type Decided = ReturnType<typeof decided>;

/** A record with another decision, or with some of its members otherwise. */
export const deciding = (record: Decided, decision: JsonObject): JsonObject => ({
  ...record,
  decision: { ...record.decision, ...decision },
});

/** The end of a review. */
export function reviewed(
  { agent, mandate, skill, escalation_id, decision }: Decided,
  parent: number,
  review: JsonObject = {},
): JsonObject {
  const ended = {
    escalation_id: escalation_id ?? "",
    outcome: "approved",
    approved_by: ["tok_1", "tok_2"],
    ...review,
  };
  const approved = ended.outcome === "approved";
  return {
    type: "review.decision",
    agent,
    mandate,
    skill,
    parent_record_id: `r${parent}`,
    ...(approved ? { decision, payment: "requested" } : {}),
    review: ended,
  };
}

/** What became of a payment: authorized with an order, but for what is said otherwise. */
export function paid(
  { agent, mandate, skill, amount, protocol }: Decided,
  parent: number,
  more: JsonObject = {},
): JsonObject {
  const approved = { outcome: "approved", reason_codes: [] };
  const made = more.payment === undefined && more.release === undefined;
  return {
    type: "payment.outcome",
    agent,
    mandate,
    skill,
    amount,
    protocol,
    attempt_id: `pay-${parent}`,
    parent_record_id: `r${parent}`,
    payment: "authorized",
    ...(made ? { order_id: `ord-${parent}`, decision: approved } : {}),
    ...(made ? {} : { decision: { outcome: "rejected", reason_codes: [] } }),
    ...more,
  };
}

/** What became of an order afterwards. */
export function adjusted(parent: number, adjustment: JsonObject): JsonObject {
  return { type: "order.adjustment", attempt_id: `pay-${parent}`, adjustment };
}

/** Money that goes back: of a payment, by its name, so far. */
export const returned = (parent: number, id: string, status: string, minor = 500) =>
  adjusted(parent, { kind: "refund", id, status, amount: { currency: "EUR", minor } });

export const declined = { payment: "declined" };
export const unknown = {
  payment: "unknown",
  decision: { outcome: "unavailable", reason_codes: ["payment_unknown"] },
};
