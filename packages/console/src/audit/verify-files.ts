import {
  type AuditReport,
  type Check,
  exportInPage,
  exportVerifier,
  verifyCheckpoint,
} from "@gatehouse/protocol";
import type { ShownCheck } from "../proof/checks.js";
import { KEY_SETS, loadKeys } from "../proof/keys.js";

/** Parts of an export, as they lie on a disk or come from the service. */
export interface GivenPart {
  readonly name: string;
  readonly text: string;
}

export interface Verified {
  readonly report: AuditReport;
  readonly checks: readonly ShownCheck[];
  /** What was no part of an export. */
  readonly unread: readonly string[];
}

const NAMES: Readonly<Record<string, string>> = {
  integrity: "Was anything changed?",
  completeness: "Is anything missing?",
  anchoring: "Does the log match your checkpoint?",
  replay: "Do the decisions follow from the rules?",
};

/** What an export should be of. */
export interface Expected {
  /** The names of the site's logs. */
  readonly chains: readonly string[];
  /** Absent: any. */
  readonly day?: string;
}

/** Says of which log and day the parts are, and whether these are the site's and the day asked for. */
function ofCheck({ logs }: AuditReport, { chains, day }: Expected): Check {
  const contents = logs.map((log) => `${log.chain}, ${log.days.join(", ")}`).join("; ");
  const strange = logs.find(({ chain }) => !chains.includes(chain));
  const other = logs.find(({ days }) => day !== undefined && days.some((one) => one !== day));
  const wrong =
    strange === undefined
      ? other === undefined
        ? ""
        : `the files are for a different day: ${contents}`
      : `the files belong to another site: ${contents}`;
  return { id: "of", ok: wrong === "", text: wrong || `the files cover ${contents} (UTC)` };
}

/** Verifies an export here, by the service's published keys, and makes every decision again. */
export async function verifyParts(
  parts: readonly GivenPart[],
  checkpoint: string | undefined,
  expected: Expected,
): Promise<Verified> {
  const keys = await loadKeys(KEY_SETS.audit);
  const pin =
    checkpoint === undefined ? undefined : await verifyCheckpoint(checkpoint, keys.values());
  if (pin?.ok === false) throw new Error(`The checkpoint could not be verified: ${pin.detail}.`);
  const pins = pin === undefined ? [] : [pin.value];
  const verifier = exportVerifier({ keys, pins, replay: true });
  const unread: string[] = [];
  for (const { name, text } of parts) {
    const taken = await verifier.add(exportInPage(text) ?? text);
    if (!taken.ok) unread.push(`${name}: ${taken.detail}`);
  }
  if (unread.length === parts.length)
    throw new Error(`These files are not part of an export: ${unread.join("; ")}`);
  const report = verifier.report();
  const checks = Object.entries(report.answers).map(([id, { verdict, text }]) => ({
    id,
    ok: verdict === "holds",
    unchecked: verdict === "not_checked",
    text: `${NAMES[id] ?? id} ${verdict === "not_checked" ? "Not checked: " : ""}${text}`,
  }));
  const read = unread.map((text) => ({ id: text, ok: false, text }));
  return { report, checks: [ofCheck(report, expected), ...checks, ...read], unread };
}
