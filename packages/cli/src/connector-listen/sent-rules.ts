import type { ContractFinding } from "../connector-check/finding.js";

/** Rules for the messages that a shop system sends, by the section of docs/guide/connector.md. */
const RULES = {
  signed: ["Signatures", "Every message is signed with the secret and the current time."],
  readable: ["How it works", "Every message has the members that the contract names."],
  stored: ["Products", "Every product can be stored."],
  list: ["Products", "A full list arrives with all its parts."],
  repeated: ["Products", "Rejected products are sent again."],
  versions: ["Products", "A changed product has a higher version."],
  events: [
    "Order changes",
    "A change of an order is sent with the same event_id until it is done.",
  ],
} as const satisfies Readonly<Record<string, readonly [ContractFinding["section"], string]>>;
export type SentRule = keyof typeof RULES;

/** What has to happen in the shop, so that a rule can be checked. */
const NOT_SEEN: Readonly<Record<SentRule, string>> = {
  signed: "No message arrived.",
  readable: "No message with a valid signature arrived.",
  stored: "No products arrived.",
  list: "Send all products: no complete list arrived.",
  repeated: "The rejected products were not sent again.",
  versions: "Change a product that was sent before.",
  events: "Ship or cancel an order of Gatehouse, and wait until its change is done.",
};

/** Collects which rules a shop system keeps. The first fault of each rule counts. */
export class SentRules {
  private readonly kept = new Set<SentRule>();
  private readonly faults = new Map<SentRule, string>();

  keep(rule: SentRule): void {
    this.kept.add(rule);
  }

  fault(rule: SentRule, problem: string): void {
    if (!this.faults.has(rule)) this.faults.set(rule, problem);
  }

  /** Whether every rule was seen, kept or not. */
  get isDone(): boolean {
    const names = Object.keys(RULES) as SentRule[];
    return names.every((rule) => this.kept.has(rule) || this.faults.has(rule));
  }

  findings(): readonly ContractFinding[] {
    return (Object.keys(RULES) as SentRule[]).map((rule) => {
      const [section, check] = RULES[rule];
      const problem = this.faults.get(rule);
      if (problem !== undefined) return { check, section, state: "wrong", problem };
      if (this.kept.has(rule)) return { check, section, state: "good" };
      return { check, section, state: "unchecked", problem: NOT_SEEN[rule] };
    });
  }
}
