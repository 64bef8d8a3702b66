import type { Clock } from "./clock.js";

/** Thrown when work has used up its budget. The code that set the budget catches it. */
export class BudgetSpentError extends Error {
  override readonly name = "BudgetSpentError";
  readonly resource: "time" | "rows";

  constructor(resource: "time" | "rows") {
    super(`the ${resource} allowed were used up`);
    this.resource = resource;
  }
}

/** Limits the time of a piece of work, and the rows it reads from the database. */
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

  /** Lets other work run, because neither computing nor an embedded database would ever yield. */
  async turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.clock.now() > this.ends) throw new BudgetSpentError("time");
  }
}
