import type { Clock } from "./clock.js";

/** Thrown where a piece of work has used up what it may take; whoever gave the allowance catches it. */
export class BudgetSpentError extends Error {
  override readonly name = "BudgetSpentError";
  readonly resource: "time" | "rows";

  constructor(resource: "time" | "rows") {
    super(`the ${resource} allowed were used up`);
    this.resource = resource;
  }
}

/** What one piece of work may take: time, and rows of the database. */
export class WorkBudget {
  private readonly clock: Clock;
  private readonly ends: number;
  private rowsLeft: number;

  constructor(clock: Clock, { msMax, rowsMax }: { msMax: number; rowsMax: number }) {
    this.clock = clock;
    this.ends = clock.now() + msMax;
    this.rowsLeft = rowsMax;
  }

  /** Counts rows that were read. */
  took(rows: number): void {
    this.rowsLeft -= rows;
    if (this.rowsLeft < 0) throw new BudgetSpentError("rows");
  }

  /** Lets everybody else have their turn: neither sums nor an embedded database wait for anything. */
  async turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.clock.now() > this.ends) throw new BudgetSpentError("time");
  }
}
