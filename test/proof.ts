import { citedIds } from "../conformance/citations.ts";
import type { Requirement } from "../conformance/requirements.ts";

/** A test, whose name cites the promises that it proves. */
export interface CitingTest {
  readonly name: string;
  readonly state: "pending" | "passed" | "failed" | "skipped";
}

interface Proof {
  /** How many promises a test proved. */
  readonly proven: number;
  readonly missing: readonly Requirement[];
  /** The missing ones that nothing excuses: this machine did not skip their tests. */
  readonly due: readonly string[];
}

/** Which promises a run has proven. */
export function proofOf(promises: readonly Requirement[], tests: readonly CitingTest[]): Proof {
  const citedBy = (state: CitingTest["state"]) =>
    new Set(tests.filter((test) => test.state === state).flatMap(({ name }) => citedIds(name)));
  const [passed, skipped] = [citedBy("passed"), citedBy("skipped")];
  const missing = promises.filter(({ id }) => !passed.has(id));
  const due = missing.filter(({ id }) => !skipped.has(id)).map(({ id }) => id);
  return { proven: promises.length - missing.length, missing, due };
}
