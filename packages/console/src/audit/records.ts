import { type JsonObject, RECORD_TYPES, type RecordType, recordSummary } from "@gatehouse/protocol";
import { skillTitle } from "../ui/skill-title.js";
import { titleOf } from "../ui/words.js";

const TITLES: Readonly<Record<RecordType, string>> = {
  "chain.genesis": "Log started",
  "chain.day_closed": "Day closed",
  "chain.key_rotated": "Key rotated",
  "mandate.decision": "Request decided",
  "checkout.decision": "Checkout decided",
  "payment.outcome": "Payment",
  "review.decision": "Review decided",
  "refusals.folded": "Refusals counted",
  "mcp.tools_call": "Action called",
  "order.approval": "Order approved",
  "order.adjustment": "Order changed",
  "order.capture": "Capture",
  "order.refund": "Refund",
  "site.changed": "Settings changed",
  "audit.read": "Audit log read",
  "audit.exported": "Audit log exported",
  "token.issued": "Token created",
  "token.revoked": "Token revoked",
  "clock.accepted": "Clock change accepted",
  "person.invited": "Person invited",
  "person.joined": "Person joined",
  "person.changed": "Person changed",
};

/** Every type of record with its title, to choose from. */
export const TYPES: Readonly<Record<string, string>> = Object.fromEntries(
  RECORD_TYPES.map((type) => [type, TITLES[type]]),
);

/** States and actions in a summary, as people read them everywhere else. */
function readable(what: string): string {
  const [first = "", ...rest] = what.split(" ");
  const words = rest.map((word) => (/^[a-z]+_[a-z_]+$/.test(word) ? skillTitle(word) : word));
  return [titleOf(first), ...words].join(" ").trim();
}

/** A record in a few words: what happened, and who did it. */
export function recordText(record: Readonly<Record<string, unknown>>): string {
  const { what, who } = recordSummary(record as JsonObject);
  return [readable(what), who].filter((text) => text !== "").join(", by ");
}
