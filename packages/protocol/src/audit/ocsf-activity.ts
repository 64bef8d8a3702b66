import type { JsonObject } from "../json/value.js";
import { REASONS, type ReasonCode } from "../reasons.js";
import { memberOf, textOf, textsOf } from "./ocsf-objects.js";
import {
  CALLED,
  DECIDED,
  LOGGED,
  type OcsfVerdict,
  type OcsfVerdicts,
  PAID,
  RAN,
  REJECTED,
  REVIEWED,
  UNAUTHORIZED,
  UNKNOWN,
  verdictMembers,
} from "./ocsf-verdict.js";
import type { RecordType } from "./record.js";

/** By their number; any other activity is 99. */
const ACTIVITIES = ["Unknown", "Create", "Read", "Update", "Delete"];
const OTHER = 99;

interface Kind {
  readonly operation: string;
  readonly activity: string;
  /** Of every record of the type, unless a word in it decides. */
  readonly verdict: OcsfVerdict;
  readonly verdicts?: OcsfVerdicts;
  /** Where the record has that word: a member, and one inside it. */
  readonly word?: readonly [string, string];
}

function plain(operation: string, activity: string, verdict: OcsfVerdict): Kind {
  return { operation, activity, verdict };
}

function worded(
  operation: string,
  activity: string,
  verdicts: OcsfVerdicts,
  word: readonly [string, string],
): Kind {
  return { operation, activity, verdict: UNKNOWN, verdicts, word };
}

const KINDS: Readonly<Record<RecordType, Kind>> = {
  "chain.genesis": plain("chain.open", "Create", LOGGED),
  "chain.day_closed": plain("chain.close_day", "Update", LOGGED),
  "chain.key_rotated": plain("chain.rotate_key", "Update", LOGGED),
  "mandate.decision": worded("mandate.decide", "Create", DECIDED, ["decision", "outcome"]),
  "checkout.decision": worded("checkout.decide", "Create", DECIDED, ["decision", "outcome"]),
  "payment.outcome": worded("payment.authorize", "Create", PAID, ["payment", "outcome"]),
  "review.decision": worded("review.decide", "Update", REVIEWED, ["review", "outcome"]),
  "refusals.folded": plain("refusals.fold", "Fold", REJECTED),
  "mcp.tools_call": worded("tools/call", "Invoke", CALLED, ["tool", "outcome"]),
  "order.approval": worded("order.approve", "Update", DECIDED, ["decision", "outcome"]),
  "order.adjustment": { ...plain("order.adjust", "Update", LOGGED), word: ["adjustment", "kind"] },
  "order.capture": { ...plain("order.capture", "Update", LOGGED), word: ["capture", "status"] },
  "order.refund": { ...plain("order.refund", "Update", LOGGED), word: ["refund", "status"] },
  "site.changed": { ...plain("site.change", "Update", RAN), word: ["change", "kind"] },
  "audit.read": plain("audit.read", "Read", RAN),
  "audit.exported": plain("audit.export", "Read", RAN),
  "token.issued": plain("token.issue", "Create", RAN),
  "token.revoked": plain("token.revoke", "Delete", RAN),
  "clock.accepted": plain("clock.accept", "Update", RAN),
  "person.invited": plain("person.invite", "Create", RAN),
  "person.joined": plain("person.join", "Update", RAN),
  "person.changed": plain("person.change", "Update", RAN),
};

/** Changes of a site that are more than an update of it. */
const SITE_ACTIVITIES: ReadonlyMap<string, string> = new Map([
  ["created", "Create"],
  ["deleted", "Delete"],
]);

function kindOf(type: string | undefined): Kind {
  if (type !== undefined && Object.hasOwn(KINDS, type)) return KINDS[type as RecordType];
  return plain(type ?? "unknown", "Unknown", UNKNOWN);
}

function reasonsOf(record: JsonObject): string[] {
  return [
    ...textsOf(memberOf(record, "decision").reason_codes),
    ...textsOf(memberOf(record, "refusals").reason_codes),
    ...textsOf([memberOf(record, "review").reason_code ?? null]),
    ...textsOf([memberOf(record, "tool").reason ?? null]),
  ];
}

/** Whether a reason says that the caller did not prove who it is. */
function isUnauthorized(code: string): boolean {
  return Object.hasOwn(REASONS, code) && REASONS[code as ReasonCode].status === 401;
}

function activityMembers(name: string) {
  const known = ACTIVITIES.indexOf(name);
  const id = known === -1 ? OTHER : known;
  return {
    activity_id: id,
    activity_name: name,
    type_uid: 600300 + id,
    type_name: `API Activity: ${ACTIVITIES[id] ?? "Other"}`,
  };
}

/** What was done, and the members of an event that tell it and how it came out. */
export function activityOf(record: JsonObject) {
  const { operation, activity, verdict, verdicts, word } = kindOf(textOf(record.type));
  const value = word === undefined ? undefined : textOf(memberOf(record, word[0])[word[1]]);
  const siteActivity = word?.[0] === "change" ? SITE_ACTIVITIES.get(value ?? "") : undefined;
  const reasons = reasonsOf(record);
  const basic = verdicts?.get(value ?? "") ?? verdict;
  const narrowed = basic === REJECTED && reasons.some(isUnauthorized) ? UNAUTHORIZED : basic;
  return {
    operation,
    members: {
      ...activityMembers(siteActivity ?? activity),
      ...verdictMembers(narrowed),
      status_code: value,
      status_detail: reasons.length === 0 ? undefined : reasons.join(", "),
      message: value === undefined ? operation : `${operation} ${value}`,
    },
  };
}
