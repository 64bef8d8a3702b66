/** What an auditor asks, one by one: an answer to one is no answer to another. */
export type AuditQuestion = "integrity" | "completeness" | "anchoring" | "replay";

/** Something that does not hold. */
export interface AuditFinding {
  readonly about: AuditQuestion;
  readonly chain: string;
  /** The record it is about; null when it is about a whole part. */
  readonly seq: number | null;
  readonly text: string;
  /** That parts of a day are not among those given; whoever has one part only may expect it. */
  readonly missingParts?: true;
  /** That a checkpoint lies beyond the files given: more files may reach it. */
  readonly notReached?: true;
  /** That the service itself lost the records, by what the first record of the next epoch says. */
  readonly lost?: LostRecords;
}

/** The epoch whose first record says that records were lost, and the reason it gives. */
export interface LostRecords {
  readonly chain: string;
  readonly reason: string;
}

/**
 * A finding as a sentence that names its record. Some say the number themselves, such as "record 20
 * is missing".
 *
 * @example
 * findingText({ seq: 5, text: "it does not name the record before it" }); //=> "record 5: it does not name the record before it"
 * findingText({ seq: 20, text: "record 20 is missing" }); //=> "record 20 is missing"
 */
export function findingText({ seq, text }: Pick<AuditFinding, "seq" | "text">): string {
  if (seq === null || new RegExp(`\\brecords? ${seq}\\b`).test(text)) return text;
  return `record ${seq}: ${text}`;
}

/**
 * The answer to what cannot be asked of records that somebody changed: the verifier stopped there,
 * and what it did not come to it has not found wrong either. Undefined while integrity holds.
 *
 * @example
 * uncheckable([{ about: "integrity", chain: "a", seq: 5, text: "" }]).text; //=> "cannot be checked while integrity fails at record 5"
 */
export function uncheckable(findings: readonly AuditFinding[]) {
  const bad = findings.find(({ about }) => about === "integrity");
  if (bad === undefined) return undefined;
  const where = bad.seq === null ? "" : ` at record ${bad.seq}`;
  const text = `cannot be checked while integrity fails${where}`;
  return Object.freeze({ verdict: "not_checked", text } as const);
}

/** Findings kept of each question; a file in which everything is wrong says so often enough. */
const FINDINGS_MAX = 100;

/** Collects what does not hold, in the order it was found. */
export class Findings {
  readonly list: AuditFinding[] = [];
  private readonly chain: string;

  constructor(chain: string) {
    this.chain = chain;
  }

  add(question: AuditQuestion, text: string, seq: number | null = null): void {
    this.push({ about: question, chain: this.chain, seq, text });
  }

  addMissingParts(text: string): void {
    this.push({ about: "completeness", chain: this.chain, seq: null, text, missingParts: true });
  }

  addLost(text: string, seq: number, lost: LostRecords): void {
    this.push({ about: "completeness", chain: this.chain, seq, text, lost: Object.freeze(lost) });
  }

  private push(finding: AuditFinding): void {
    const same = this.list.filter(({ about }) => about === finding.about);
    if (same.length < FINDINGS_MAX) this.list.push(Object.freeze(finding));
  }
}
