/** Sections of docs/guide/connector.md. */
export type Section =
  | "How it works"
  | "Signatures"
  | "Connect"
  | "Products"
  | "Quote"
  | "Reserve"
  | "Release"
  | "Order"
  | "Order changes";

/** A message that was sent to a shop system, and what came back, as a person reads them. */
export interface Exchange {
  readonly sent: string;
  readonly received: string;
}

/** One rule of the contract: whether the shop system keeps it. */
export interface ContractFinding {
  readonly check: string;
  readonly section: Section;
  readonly state: "good" | "wrong" | "unchecked";
  /** What is wrong, or why it was not checked. */
  readonly problem?: string;
  readonly exchange?: Exchange;
}

/** The shop system breaks the rule that is checked. */
export class Broken extends Error {
  override readonly name = "Broken";
  readonly exchange: Exchange | undefined;

  constructor(problem: string, exchange?: Exchange) {
    super(problem);
    this.exchange = exchange;
  }
}

/** Something else keeps the rule from being checked. */
export class NotChecked extends Error {
  override readonly name = "NotChecked";
}

/** What an earlier check found. Without it, this check cannot be made. */
export function needed<T>(value: T | undefined, without: string): T {
  if (value === undefined) throw new NotChecked(without);
  return value;
}
