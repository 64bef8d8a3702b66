import { parseJson } from "../json/parse.js";
import { ok, type Result, refuse } from "../result.js";
import { type AuditFinding, type AuditQuestion, findingText, uncheckable } from "./findings.js";
import { REMEMBERED_MAX } from "./history/history.js";
import { type Compared, Stretches } from "./history/stretches.js";
import { checkSuccession, joinParts } from "./join-parts.js";
import { readBundle } from "./read-bundle.js";
import { type AuditTrust, type PartSummary, verifyPart } from "./verify-part.js";

/** Bytes of a part at most: a thousand records of the longest kind, and what stands around them. */
export const PART_BYTES_MAX = 80 * 1024 * 1024;

/** The answer to one question. What was not asked has not been answered either. */
export interface AuditAnswer {
  readonly verdict: "holds" | "fails" | "not_checked";
  readonly text: string;
}

/** What an auditor may conclude from an export. */
export interface AuditReport {
  /** Whether everything that was asked holds. */
  readonly ok: boolean;
  readonly answers: Readonly<Record<AuditQuestion, AuditAnswer>>;
  /** Everything that does not hold; the record to look at first comes first. */
  readonly findings: readonly AuditFinding[];
  readonly logs: readonly {
    readonly chain: string;
    readonly days: readonly string[];
    readonly first_seq: number;
    readonly records: number;
    /** False when the last day given was still running when it was exported. */
    readonly closed: boolean;
    /** The signed checkpoint behind the last record: keep it to compare with later. */
    readonly checkpoint: string;
  }[];
  readonly records: number;
  readonly decisions_replayed: number;
  /** What could not be compared, where decisions were made again. */
  readonly not_compared: {
    /** Records that name an earlier one which is not within the given files. */
    readonly earlier: number;
    /** Decisions that were too far back to remember when the last records were read. */
    readonly forgotten: number;
  };
}

/** Records first, in order: a bad record explains a bad part, and not the other way round. */
function byImportance(a: AuditFinding, b: AuditFinding): number {
  return (a.seq ?? Infinity) - (b.seq ?? Infinity) || 0;
}

/** Verifies an export, part by part, in whatever order they come; only a summary of each is kept. */
export interface ExportVerifier {
  /** Takes the bytes of one part. Refused is only what is no part at all. */
  add(part: Uint8Array | string): Promise<Result<PartSummary, "malformed">>;
  /** What may be concluded from the parts taken so far. */
  report(): AuditReport;
}

class PartsVerifier implements ExportVerifier {
  private readonly trust: AuditTrust;
  private readonly parts: PartSummary[] = [];
  /** By log. */
  private readonly histories = new Map<string, Stretches>();

  constructor(trust: AuditTrust) {
    this.trust = trust;
  }

  async add(part: Uint8Array | string): Promise<Result<PartSummary, "malformed">> {
    const parsed = parseJson(part);
    if (!parsed.ok) return refuse("malformed", `it is not strict JSON: ${parsed.detail}`);
    const signed = readBundle(parsed.value);
    if (!signed.ok) return signed;
    const { summary, piece } = await verifyPart(signed.value, this.trust);
    this.parts.push(summary);
    if (piece !== undefined) {
      const history = this.histories.get(summary.chain) ?? new Stretches(summary.chain);
      this.histories.set(summary.chain, history);
      history.take(piece);
    }
    return ok(summary);
  }

  report(): AuditReport {
    const chains = [...new Set(this.parts.map(({ chain }) => chain))];
    const joined = chains.map((chain) => ({
      chain,
      parts: this.parts.filter((part) => part.chain === chain),
    }));
    if (this.parts.length === 0) throw new Error("report: nothing was added");
    const compared = [...this.histories.values()].map((history) => history.result());
    const findings = [...this.allFindings(joined), ...compared.flatMap((one) => one.findings.list)];
    findings.push(...this.notReached(findings));
    findings.sort(byImportance);
    const not_compared = notCompared(compared);
    const answers = this.answers(findings, not_compared);
    return Object.freeze({
      ok: Object.values(answers).every(({ verdict }) => verdict !== "fails"),
      answers,
      findings: Object.freeze(findings),
      logs: joined.map(({ chain, parts }) => logOf(chain, parts)),
      records: this.parts.reduce((sum, { count }) => sum + count, 0),
      decisions_replayed: this.parts.reduce((sum, part) => sum + part.decisionsReplayed, 0),
      not_compared,
    });
  }

  /** Checkpoints that lie beyond the files. Where records are wrong, nobody can know whether they do. */
  private notReached(findings: readonly AuditFinding[]): AuditFinding[] {
    if (findings.some(({ about }) => about === "integrity")) return [];
    const question = "anchoring";
    return this.trust.pins.flatMap((pin) => {
      const { origin, size } = pin;
      if (this.parts.some(({ metPins }) => metPins.includes(pin))) return [];
      if (findings.some((one) => one.about === question && one.chain === origin)) return [];
      const text = `unanchored: the checkpoint at ${size} records is not within the given files`;
      return [Object.freeze({ about: question, chain: origin, seq: null, text, notReached: true })];
    });
  }

  /** Everything wrong with each log, and with how they follow each other. */
  private allFindings(logs: readonly Log[]): AuditFinding[] {
    const joined = logs.map(({ chain, parts }) => ({
      parts,
      joinFindings: joinParts(parts, chain),
    }));
    for (const next of joined) {
      const first = next.parts.find(({ first_seq }) => first_seq === 0);
      if (first === undefined) continue;
      for (const ended of joined) {
        if (ended === next) continue;
        checkSuccession(first, lastOf(ended.parts), {
          next: next.joinFindings,
          ended: ended.joinFindings,
        });
      }
    }
    return joined.flatMap(({ parts, joinFindings }) => [
      ...parts.flatMap(({ findings }) => findings),
      ...joinFindings.list,
    ]);
  }

  private answers(
    findings: readonly AuditFinding[],
    notCompared: AuditReport["not_compared"],
  ): AuditReport["answers"] {
    const { pins, replay } = this.trust;
    const open = uncheckable(findings);
    const answer = (question: AuditQuestion, good: string, unasked?: string): AuditAnswer => {
      const bad = findings.find((finding) => finding.about === question);
      if (bad !== undefined) return Object.freeze({ verdict: "fails", text: findingText(bad) });
      if (unasked !== undefined) return Object.freeze({ verdict: "not_checked", text: unasked });
      return open ?? Object.freeze({ verdict: "holds", text: good });
    };
    return Object.freeze({
      integrity: answer("integrity", "no record was changed, moved, added or removed"),
      completeness: answer(
        "completeness",
        this.parts.every(({ closed }) => closed)
          ? "every record of these days is present"
          : "every record up to the export is present; the last day was not over yet",
      ),
      anchoring: answer(
        "anchoring",
        "the export matches the checkpoint that you saved",
        pins.length === 0 ? "no checkpoint was given" : undefined,
      ),
      replay: answer(
        "replay",
        ["every decision follows from the rules, and from the records before it"]
          .concat(limitsOf(notCompared))
          .join("; "),
        replay ? undefined : "decisions were not replayed",
      ),
    });
  }
}

/**
 * A verifier of exports. The command line, the console and the page of an HTML export all ask this
 * one.
 *
 * @example
 * const verifier = exportVerifier({ keys: new Map(), pins: [], replay: false });
 * (await verifier.add("{}")).reason; //=> "malformed"
 */
export function exportVerifier(trust: AuditTrust): ExportVerifier {
  return new PartsVerifier(trust);
}

function notCompared(all: readonly Compared[]): AuditReport["not_compared"] {
  const sum = (name: "before" | "forgotten") => all.reduce((total, one) => total + one[name], 0);
  return Object.freeze({ earlier: sum("before"), forgotten: sum("forgotten") });
}

/** What the answer does not cover, in words. */
function limitsOf({ earlier, forgotten }: AuditReport["not_compared"]): readonly string[] {
  const records =
    earlier === 1 ? "1 record names an earlier one" : `${earlier} records name earlier ones`;
  return [
    ...(earlier === 0 ? [] : [`${records} that ${earlier === 1 ? "is" : "are"} not here`]),
    ...(forgotten === 0
      ? []
      : [`each was compared with the last ${REMEMBERED_MAX} decisions only`]),
  ];
}

/** The parts of one log. */
interface Log {
  readonly chain: string;
  readonly parts: readonly PartSummary[];
}

/** The part that reaches furthest. */
function lastOf(parts: readonly PartSummary[]): PartSummary {
  const end = ({ first_seq, count }: PartSummary) => first_seq + count;
  return parts.reduce((last, part) => (end(part) > end(last) ? part : last));
}

function logOf(chain: string, parts: readonly PartSummary[]): AuditReport["logs"][number] {
  const sorted = [...parts].sort((a, b) =>
    a.day === b.day ? a.part - b.part : a.day < b.day ? -1 : 1,
  );
  const last = sorted.at(-1) as PartSummary;
  return Object.freeze({
    chain,
    days: [...new Set(sorted.map(({ day }) => day))],
    first_seq: (sorted[0] as PartSummary).first_seq,
    records: sorted.reduce((sum, { count }) => sum + count, 0),
    closed: last.closed,
    checkpoint: last.checkpoint_after,
  });
}
