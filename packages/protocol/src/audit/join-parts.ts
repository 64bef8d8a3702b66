import { isJsonObject, type JsonValue } from "../json/value.js";
import { type BundleEntry, PART_RECORDS_MAX } from "./bundle.js";
import { Findings } from "./findings.js";
import { type PartSummary, placeFault } from "./verify-part.js";

const sameFrontier = (a: PartSummary["before"], b: PartSummary["before"]) =>
  a.size === b.size && a.frontier.join() === b.frontier.join();

const nameOf = ({ day, part, parts }: PartSummary) =>
  parts === 1 ? day : `${day} part ${part} of ${parts}`;

/** Whether a day's parts are all there, once each, and agree on what the day holds. */
function checkDay(day: readonly PartSummary[], findings: Findings): void {
  const [first] = day as readonly [PartSummary, ...PartSummary[]];
  const { parts, day_first_seq, day_count, closed } = first;
  for (const one of day) {
    const agrees =
      one.parts === parts && one.day_first_seq === day_first_seq && one.day_count === day_count;
    if (!agrees || one.closed !== closed) {
      findings.add(
        "completeness",
        `${nameOf(one)} was exported at a different moment than the other parts`,
      );
    }
    if (one.part < 1 || one.part > parts) {
      findings.add("completeness", `${nameOf(one)} is not a part of this day`);
    }
    const wanted = Math.min(PART_RECORDS_MAX, day_count - (one.part - 1) * PART_RECORDS_MAX);
    const place = day_first_seq + (one.part - 1) * PART_RECORDS_MAX;
    if (one.first_seq !== place || one.count !== Math.max(wanted, 0)) {
      findings.add("completeness", `${nameOf(one)} does not contain the records of this part`);
    }
  }
  if (parts !== Math.max(1, Math.ceil(day_count / PART_RECORDS_MAX))) {
    findings.add("completeness", `${first.day} has the wrong number of parts for its records`);
  }
  const given = day.map(({ part }) => part);
  for (const part of new Set(given.filter((part, i) => given.indexOf(part) !== i))) {
    findings.add("completeness", `${nameOf({ ...first, part })} is given more than once`);
  }
  // The first that is missing lies among as many as are given, and one: whatever number they claim.
  const missing = parts - new Set(given.filter((part) => part >= 1 && part <= parts)).size;
  if (missing === 0) return;
  let part = 1;
  while (given.includes(part)) part++;
  const more = missing === 1 ? "" : `, and ${missing - 1} more`;
  findings.addMissingParts(`${nameOf({ ...first, part })} is missing${more}`);
}

/** The end of what was joined so far: the part, and the last record that holds, if all up to it do. */
interface End {
  readonly part: PartSummary;
  readonly last: BundleEntry | undefined;
}

/** Whether a part goes on where the one before it ended. */
function checkJoint({ part: before, last }: End, next: PartSummary, findings: Findings): void {
  const end = before.first_seq + before.count;
  if (next.first_seq < end) {
    const text = `${nameOf(next)} contains record ${next.first_seq} a second time`;
    findings.add("integrity", text, next.first_seq);
    return;
  }
  if (next.first_seq > end) {
    const text = `records ${end} to ${next.first_seq - 1} are not in the given files`;
    findings.add("completeness", text, end);
    return;
  }
  if (before.after !== undefined && !sameFrontier(before.after, next.before)) {
    const text = `${nameOf(next)} does not continue the tree of ${nameOf(before)}`;
    findings.add("integrity", text, end);
  }
  if (last === undefined || next.first === undefined) return;
  const expected = { seq: end, day: next.day, chain: next.chain, previous: last };
  const fault = placeFault(next.first, expected);
  if (fault !== undefined) findings.add("integrity", fault, end);
}

/** The last record a joined part leaves: its own, or, where it has none, that of the part before. */
function endBehind(before: End | undefined, part: PartSummary): End {
  const goesOn = before?.part.after !== undefined && sameFrontier(before.part.after, part.before);
  return { part, last: part.count === 0 && goesOn ? before.last : part.last };
}

/** Whether the parts of a day name each other, so that none can be exchanged for another's. */
function checkLink(before: PartSummary | undefined, next: PartSummary, findings: Findings): void {
  if (next.part === 1) {
    if (next.prev_part_sha256 !== null) {
      findings.add("integrity", `${nameOf(next)} is the first part, but names an earlier one`);
    }
    return;
  }
  if (before?.day !== next.day || before.part !== next.part - 1) return;
  if (next.prev_part_sha256 !== before.digest) {
    findings.add(
      "integrity",
      `${nameOf(next)} follows a different ${nameOf(before)} than the one given`,
    );
  }
}

/** Two files that say they are the same part; of a day that was running, that is no wonder. */
function twoFiles(before: PartSummary, { day, part, closed }: PartSummary): string {
  const two = `there are two different files of ${day} part ${part}`;
  if (before.closed && closed) return two;
  return `${two}; a later export of a day that is not over is longer. Give only one of them`;
}

/** Joins the parts of one log, whatever order they were given in. */
export function joinParts(parts: readonly PartSummary[], chain: string): Findings {
  const findings = new Findings(chain);
  const place = (a: PartSummary, b: PartSummary) => a.part - b.part || a.first_seq - b.first_seq;
  const sorted = [...parts].sort((a, b) =>
    a.day === b.day ? place(a, b) : a.day < b.day ? -1 : 1,
  );
  for (const day of new Set(sorted.map((part) => part.day))) {
    checkDay(
      sorted.filter((part) => part.day === day),
      findings,
    );
  }
  let end: End | undefined;
  for (const part of sorted) {
    const before = end?.part;
    checkLink(before, part, findings);
    const again = before?.day === part.day && before.part === part.part;
    if (again && before.digest !== part.digest) {
      findings.add("integrity", twoFiles(before, part), part.first_seq);
    } else if (end !== undefined && !again) checkJoint(end, part, findings);
    end = endBehind(end, part);
  }
  return findings;
}

/** The text of a note without its signatures, which depend on the key of the day. */
const unsigned = (note: JsonValue | undefined) =>
  typeof note === "string" ? note.slice(0, note.lastIndexOf("\n\n")) : undefined;

/** The records that are lost from `end` on: the service no longer had them when the next epoch began. */
function lostText(end: number, size: number, left: number, chain: string): string {
  const which = size - end === 1 ? `record ${end} is` : `records ${end} to ${size - 1} are`;
  return `${which} lost: when ${chain} began, the service had only ${left} of ${size} records`;
}

/** Whether a log that says it goes on from another names the end that one has here. */
export function checkSuccession(
  next: PartSummary,
  ended: PartSummary,
  findings: { readonly next: Findings; readonly ended: Findings },
): void {
  const previous = next.first?.record.previous;
  if (!isJsonObject(previous) || previous.chain !== ended.chain) return;
  const end = ended.first_seq + ended.count;
  const { size, records_left: left } = previous;
  if (typeof size === "number" && size > end) {
    if (typeof left === "number" && left <= end) {
      const reason = next.first?.record.reason;
      const lost = { chain: next.chain, reason: typeof reason === "string" ? reason : "" };
      findings.ended.addLost(lostText(end, size, left, next.chain), end, lost);
      return;
    }
    const text = `the next epoch says that this epoch has ${size} records, but the files contain ${end}`;
    findings.ended.add("completeness", text, end);
  } else if (size !== end || unsigned(previous.checkpoint) !== unsigned(ended.checkpoint_after)) {
    findings.next.add(
      "integrity",
      "its first record names a different last checkpoint of the epoch before it",
      0,
    );
  }
}
