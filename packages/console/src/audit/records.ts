import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Money,
  RECORD_TYPES,
  type RecordType,
} from "@gatehouse/protocol";
import { skillTitle } from "../ui/skill-title.js";
import { countText, moneyText, plainWord, strangersText, titleOf } from "../ui/words.js";
import { SENTENCES } from "./sentences.js";

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
  "order.approval": "Order approval decided",
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

const VERDICTS: Readonly<Record<string, string>> = {
  approved: "Your rules approved",
  escalated: "Your rules asked for a review of",
  rejected: "Gatehouse declined",
};

/** Looks up how people call whoever has an ID: a person, a token, an agent or a platform. */
export type NameOf = (id: string) => string;

const objectIn = (value: JsonValue | undefined) => (isJsonObject(value) ? value : {});
const textIn = (value: JsonValue | undefined) =>
  typeof value === "string" || typeof value === "number" ? String(value) : "";

function isMoney(value: JsonValue | undefined): value is JsonObject & Money {
  const { minor, currency } = objectIn(value);
  return typeof minor === "number" && typeof currency === "string";
}

/** The parts of a record that are in an object of its own. */
function partsOf(record: JsonObject): JsonObject {
  const { change, adjustment, capture, refund, refusals, read, token, person } = record;
  const members = [
    change,
    adjustment,
    capture,
    refund,
    refusals,
    read,
    token,
    person,
    record.export,
  ];
  return Object.assign({}, ...members.map(objectIn), { skill: record.skill, ...objectIn(change) });
}

/** Whoever acted. The service itself and the shop's own systems have no name. */
function actorName(record: JsonObject, nameOf: NameOf): string {
  const { kind, id } = objectIn(record.actor);
  const text = textIn(id);
  if (kind !== "service") return text === "" ? "Gatehouse" : nameOf(text);
  if (text.startsWith("processor ")) return titleOf(text.slice(10));
  return text.startsWith("shop ") ? "Your shop system" : "Gatehouse";
}

const listIn = (value: JsonValue | undefined): readonly JsonValue[] =>
  Array.isArray(value) ? value : [];

/** What became of the actions of a site: “added Get pricing, removed Place an order”. */
function skillsText(parts: JsonObject): string {
  return ["added", "removed", "changed"]
    .map((word) => [
      word,
      listIn(parts[word])
        .map((id) => skillTitle(textIn(id)))
        .join(", "),
    ])
    .filter(([, titles]) => titles !== "")
    .map(([word, titles]) => `${word} ${titles}`)
    .join("; ");
}

/** Where notifications now go. Addresses are not in the log. */
function channelsText({ kind, emails, webhook_host: host }: JsonObject): string {
  if (kind !== "notifications_set") return "";
  const webhook = typeof host === "string" ? [`a webhook to ${host}`] : [];
  const many = Number(emails ?? 0);
  const mails = many > 0 ? [countText(many, "email address", "email addresses")] : [];
  return [...mails, ...webhook].join(" and ") || "none";
}

/** The values that a sentence can name, by their place in it. */
function valuesOf(record: JsonObject, order: number | undefined, nameOf: NameOf) {
  const parts = partsOf(record);
  const { tool, client, agent, decision, payment } = record;
  const money = [record.amount, parts.amount].find(isMoney);
  const skill = textIn(parts.skill) && `“${skillTitle(textIn(parts.skill))}”`;
  const caller = textIn(objectIn(agent).id);
  const orderName = order === undefined ? "an order" : `order #${order}`;
  const called = textIn(objectIn(tool).name);
  const { fields } = parts;
  const named: Record<string, string> = {
    who: actorName(record, nameOf),
    agent: caller === "" ? "somebody" : nameOf(caller),
    order: orderName,
    about: order === undefined ? skill : orderName,
    action: skill,
    amount: money === undefined ? "" : moneyText(money),
    verdict: own(VERDICTS, textIn(objectIn(decision).outcome)) ?? "Gatehouse decided about",
    payment: plainWord(textIn(payment)),
    status: plainWord(textIn(parts.status)),
    event: plainWord(textIn(parts.event)),
    role: plainWord(textIn(parts.role)),
    provider: titleOf(textIn(parts.processor)),
    client: textIn(objectIn(client).name) || "Somebody",
    tool: called === "" ? "an unknown action" : `“${skillTitle(called)}”`,
    token: nameOf(textIn(parts.token_id)),
    person: nameOf(textIn(parts.person_id)),
    subject: nameOf(textIn(parts.agent_id)),
    fields: listIn(fields)
      .map((one) => plainWord(textIn(one)))
      .join(", "),
    actions: skillsText(parts),
    channels: channelsText(parts),
    day: textIn(record.day) || textIn(parts.day),
    count:
      record.type === "audit.read"
        ? countText(Number(parts.count ?? 0), "record")
        : textIn(parts.count),
  };
  return (name: string) => strangersText(own(named, name) ?? textIn(parts[name]));
}

/** What decides which of several sentences of a type is right. */
function caseOf(record: JsonObject): string {
  const of = (part: string, name: string) => textIn(objectIn(record[part])[name]);
  if (record.type === "person.changed") {
    return textIn(record.change) || (objectIn(record.person).role === null ? "removed" : "other");
  }
  if (record.type === "payment.outcome") return textIn(record.payment);
  return (
    of("change", "kind") ||
    of("review", "outcome") ||
    of("adjustment", "kind") ||
    of("capture", "status") ||
    of("refund", "status") ||
    of("tool", "outcome") ||
    of("export", "purpose") ||
    "other"
  );
}

/** The value of a table under a name that a record has given. */
const own = <Value>(table: Readonly<Record<string, Value>>, name: string) =>
  Object.hasOwn(table, name) ? table[name] : undefined;

/** The sentence for a record, with its open places. Undefined for what the table does not know. */
export function sentenceOf(record: JsonObject): string | undefined {
  const sentences = own(SENTENCES, textIn(record.type));
  if (sentences === undefined || typeof sentences === "string") return sentences;
  return own(sentences, caseOf(record)) ?? sentences.other;
}

/** A place that has no value, with the word before it. */
const EMPTY = /(?: (?:for|of|by|the payment of)|:)? ?\{\}/g;

/** A record in a plain sentence. A record of an unknown type is named by its type. */
export function recordText(
  record: Readonly<Record<string, unknown>>,
  order: number | undefined,
  nameOf: NameOf,
): string {
  const known = record as JsonObject;
  const template = sentenceOf(known);
  if (template === undefined) {
    const kind = textIn(objectIn(known.change).kind);
    return kind === "" ? textIn(known.type) : titleOf(kind);
  }
  const partOf = valuesOf(known, order, nameOf);
  const text = template.replace(/\{(\w+)\}/g, (_, name: string) => partOf(name) || "{}");
  const plain = text.replace(EMPTY, "");
  return plain.charAt(0).toUpperCase() + plain.slice(1);
}
