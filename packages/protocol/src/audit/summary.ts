import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";

function textAt(record: JsonObject, ...names: readonly string[]): string {
  let value: JsonValue | undefined = record;
  for (const name of names) value = isJsonObject(value) ? value[name] : undefined;
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

function listAt(record: JsonObject, ...names: readonly string[]): string {
  let value: JsonValue | undefined = record;
  for (const name of names) value = isJsonObject(value) ? value[name] : undefined;
  return Array.isArray(value) ? value.filter((one) => typeof one === "string").join(", ") : "";
}

/** Which records were read or exported. */
function rangeOf(record: JsonObject): string {
  const [from, to] = [textAt(record, "read", "from_seq"), textAt(record, "read", "to_seq")];
  return from === "" ? "" : `${from} to ${to}`;
}

/** How many refusals a record counts. */
function refusedCount(record: JsonObject): string {
  const count = textAt(record, "refusals", "count");
  return count && `${count} refused`;
}

/** What happened to a person: what else changed, or the role after it. */
function personChange(record: JsonObject): string {
  if (!isJsonObject(record.person)) return "";
  return textAt(record, "change") || textAt(record, "person", "role") || "removed";
}

/** A record in a few words. Both are the record's own, and may be hostile. */
export interface RecordSummary {
  /** What happened: an outcome, and what it was about. */
  readonly what: string;
  /** Who did it: an agent, a token, a part of the service, or what a client calls itself. */
  readonly who: string;
}

/**
 * What a list shows of a record. It may be any JSON object: records are shown before they are
 * verified too, so no member is taken for granted.
 *
 * @example
 * recordSummary({ tool: { name: "get_pricing", outcome: "answered" } }).what; //=> "answered get_pricing"
 */
export function recordSummary(record: JsonObject): RecordSummary {
  const at = (...names: readonly string[]) => textAt(record, ...names);
  const outcome =
    at("review", "outcome") ||
    at("decision", "outcome") ||
    at("payment", "outcome") ||
    at("capture", "status") ||
    at("refund", "status") ||
    at("tool", "outcome") ||
    refusedCount(record) ||
    personChange(record);
  const subject =
    at("change", "kind") ||
    at("adjustment", "kind") ||
    at("tool", "name") ||
    (at("tool", "name_commitment") && "unknown tool") ||
    at("skill") ||
    (at("skill_commitment") && "unknown skill") ||
    [at("token", "role"), at("token", "token_id")].join(" ").trim() ||
    at("person", "person_id") ||
    at("clock", "accepted_at") ||
    at("export", "day") ||
    at("day");
  const more =
    listAt(record, "change", "fields") ||
    at("change", "platform") ||
    (at("revoked_with") && `with ${at("revoked_with")}`) ||
    (at("export", "purpose") === "archive" ? "archived" : "") ||
    listAt(record, "decision", "reason_codes") ||
    listAt(record, "refusals", "reason_codes") ||
    at("adjustment", "status") ||
    at("adjustment", "event") ||
    at("reason") ||
    at("tool", "reason") ||
    rangeOf(record);
  const ofOrder = at("adjustment", "kind") || at("capture", "status") || at("refund", "status");
  const whose = ofOrder === "" ? "" : at("order_id");
  const what = [outcome, subject, more, whose].filter((text) => text !== "").join(" ");
  const named = at("client", "name");
  const unknown = at("client", "name_commitment") && "unknown client";
  const claimed = named === "" ? unknown : `${named} (unproven)`;
  const processor = at("processor");
  const paid = processor === "" ? "" : `processor ${processor}`;
  // Whoever acted goes before the agent it was about: a review names both, and so does a payment.
  return { what, who: at("actor", "id") || paid || at("agent", "id") || claimed };
}
