import { Broken, type ContractFinding, NotChecked, type Section } from "./finding.js";

/** Collects what a run finds, and passes each finding on at once: a run takes a while. */
export class Report {
  readonly findings: ContractFinding[] = [];
  private readonly onFinding: (finding: ContractFinding) => void;

  constructor(onFinding: (finding: ContractFinding) => void) {
    this.onFinding = onFinding;
  }

  add(finding: ContractFinding): void {
    this.findings.push(finding);
    this.onFinding(finding);
  }

  /** Makes one check. Returns what it found for later ones; undefined if it failed or was not made. */
  async check<T>(section: Section, check: string, run: () => Promise<T>): Promise<T | undefined> {
    try {
      const result = await run();
      this.add({ check, section, state: "good" });
      return result;
    } catch (error) {
      if (error instanceof NotChecked) {
        this.add({ check, section, state: "unchecked", problem: error.message });
      } else if (error instanceof Broken) {
        const { message: problem, exchange } = error;
        this.add({ check, section, state: "wrong", problem, ...(exchange && { exchange }) });
      } else {
        throw error;
      }
      return undefined;
    }
  }
}
