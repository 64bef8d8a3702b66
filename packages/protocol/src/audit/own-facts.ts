import { isJsonObject, type JsonValue } from "../json/value.js";
import type { PolicyFacts } from "../policy/facts.js";
import type { AuditRecord } from "./record.js";

const memberOf = (value: JsonValue | undefined, name: string) =>
  isJsonObject(value) ? value[name] : undefined;

/** What a record says of its own decision otherwise than the facts do; undefined when nothing. */
export function factsFault(record: AuditRecord, facts: PolicyFacts): string | undefined {
  const { agent, amount, protocol, skill } = record;
  const compared: [what: string, said: JsonValue | undefined, fact: JsonValue | undefined][] = [
    ["agent", memberOf(agent, "id"), facts.agent?.id],
    ["skill", skill, facts.skill],
  ];
  // The end of a review leaves these to the record that opened it.
  if (record.type !== "review.decision") {
    compared.push(["protocol", protocol, facts.protocol]);
    compared.push(["amount", memberOf(amount, "minor"), facts.cart?.total]);
    compared.push(["currency", memberOf(amount, "currency"), facts.cart?.currency]);
  }
  const [other] = compared.find(([, stated, fact]) => stated !== fact) ?? [];
  return other === undefined ? undefined : `it was decided for a different ${other} than it says`;
}

/** Whoever does not say whose mandate was let through could let it through again. */
export function subjectFault(
  { type, agent, mandate, skill }: AuditRecord,
  outcome: string,
): string | undefined {
  if (type !== "mandate.decision" || outcome === "rejected") return undefined;
  const named = [
    memberOf(agent, "id"),
    memberOf(mandate, "mandate_id"),
    memberOf(mandate, "digest"),
    skill,
  ];
  const whole = named.every((name) => typeof name === "string" && name !== "");
  return whole ? undefined : "it does not say whose mandate it is, or for what";
}
