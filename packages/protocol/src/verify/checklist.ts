/** One thing that was looked at, and what was found, as a sentence. */
export interface Check {
  /** Stable name for programs. */
  readonly id: string;
  readonly ok: boolean;
  readonly text: string;
}

/** What a reader may conclude. */
export interface Verdict {
  readonly kind: "card" | "a2a-card" | "catalog" | "receipt" | "record" | "terms";
  readonly ok: boolean;
  readonly checks: readonly Check[];
}

/** Collects checks in the order they are made. */
export class Checklist {
  private readonly checks: Check[] = [];

  /** Notes a check and says whether it held. */
  note(id: string, held: boolean, good: string, bad: string): boolean {
    this.checks.push(Object.freeze({ id, ok: held, text: held ? good : bad }));
    return held;
  }

  verdict(kind: Verdict["kind"]): Verdict {
    const ok = this.checks.length > 0 && this.checks.every((check) => check.ok);
    return Object.freeze({ kind, ok, checks: Object.freeze([...this.checks]) });
  }
}
