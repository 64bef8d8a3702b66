import {
  type AuditAnswer,
  type AuditFinding,
  type AuditQuestion,
  type Bundle,
  type Checkpoint,
  exportVerifier,
  findingText,
  uncheckable,
  verifyCheckpoint,
} from "@gatehouse/protocol";
import type { Keys } from "./keys.js";

/** The export as the file brings it. */
export interface Brought {
  /** Exactly what the verifier is given. */
  readonly text: string;
  readonly bundle: Bundle;
  /** The keys the file names as its own. Whose they are it cannot prove. */
  readonly keys: Keys;
}

/** What the auditor brings from elsewhere. */
export interface Given {
  readonly keys?: Keys | undefined;
  /** A signed checkpoint. */
  readonly checkpoint?: string | undefined;
  /** Some of what was pasted cannot be used, so nothing can be verified by it. */
  readonly unread?: boolean;
}

export type Answers = Readonly<Record<AuditQuestion, AuditAnswer>>;

export interface Judgement {
  readonly verdict: "unconfirmed" | "holds" | "fails";
  readonly answers: Answers;
  /** Everything that does not hold; the record to look at first comes first. */
  readonly findings: readonly AuditFinding[];
  /** The auditor's keys are all others than those the file names. */
  readonly otherKeys: boolean;
}

/**
 * Whether a finding only says that the other parts are not in this file. Of a part whose own number
 * is none, nothing is excused.
 */
function isOtherPart({ part, parts }: Bundle, { missingParts }: AuditFinding): boolean {
  return missingParts === true && part >= 1 && part <= parts;
}

function completeness(bundle: Bundle, findings: readonly AuditFinding[]): AuditAnswer {
  const { part, parts, closed } = bundle;
  const bad = findings.find(({ about }) => about === "completeness");
  if (bad !== undefined) return { verdict: "fails", text: findingText(bad) };
  const open = uncheckable(findings);
  if (open !== undefined) return open;
  const running = closed ? "" : "; the day was not over yet";
  const present = closed
    ? "every record of the day is present"
    : "every record up to the export is present";
  if (parts === 1) return { verdict: "holds", text: `${present}${running}` };
  const text = `this is part ${part} of ${parts}; completeness of the day needs all parts${running}`;
  return { verdict: "not_checked", text };
}

function withCount(replay: AuditAnswer, count: number): AuditAnswer {
  if (replay.verdict === "not_checked") return replay;
  return { ...replay, text: `${replay.text} (${count} replayed)` };
}

/** The auditor's checkpoint, or what is wrong with it. */
async function readPin(checkpoint: string | undefined, keys: Keys) {
  if (checkpoint === undefined) return { pins: [] as Checkpoint[] };
  const pin = await verifyCheckpoint(checkpoint, keys.values());
  if (pin.ok) return { pins: [pin.value] };
  return { pins: [], fault: `the checkpoint you gave: ${pin.detail}` };
}

/** Verifies what the file brought by what the auditor gave, or by its own keys. */
export async function judge(brought: Brought, given: Given): Promise<Judgement> {
  const { text, bundle } = brought;
  const keys = given.keys ?? brought.keys;
  const { pins, fault } = await readPin(given.checkpoint, keys);
  const verifier = exportVerifier({ keys, pins, replay: true });
  const added = await verifier.add(text);
  if (!added.ok) throw new Error(added.detail);
  const report = verifier.report();
  const findings = report.findings.filter((finding) => !isOtherPart(bundle, finding));
  if (fault !== undefined) {
    findings.push({ about: "anchoring", chain: bundle.chain, seq: null, text: fault });
  }
  const { integrity, anchoring, replay } = report.answers;
  const own = new Set([...brought.keys.values()].map(({ x }) => x));
  const good = given.keys === undefined ? "unconfirmed" : "holds";
  return {
    verdict: findings.length > 0 ? "fails" : good,
    answers: {
      integrity,
      completeness: completeness(bundle, findings),
      anchoring: fault === undefined ? anchoring : { verdict: "fails", text: fault },
      replay: withCount(replay, report.decisions_replayed),
    },
    findings,
    otherKeys: [...keys.values()].every(({ x }) => !own.has(x)),
  };
}
