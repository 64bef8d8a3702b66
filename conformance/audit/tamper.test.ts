import { afterAll, describe, expect, test } from "vitest";
import { auditKeys, exportDay } from "../../packages/server/test/audit/exporting.ts";
import { createSite, freshEnvironment, startServer } from "../../packages/server/test/harness.ts";
import {
  type Entry,
  endOf,
  exportLog,
  type Forged,
  fileOf,
  forge,
  type Log,
  type LogKey,
  makeKey,
  type Part,
  pinAt,
  policy,
  seal,
  signPart,
  signTree,
  treeAt,
  writeLog,
} from "./forging.ts";
import {
  type Given,
  ours,
  PythonProgram,
  programOfGuide,
  pythonThere,
  reportOn,
  type Verdict,
  verdict,
} from "./judging.ts";

/** The keys an auditor trusts: two of the log. A stranger's is not among them. */
const [key, secondKey, strangersKey] = await Promise.all([makeKey(), makeKey(), makeKey()]);
const trusted = [key, secondKey];
const keySetOf = (keys: readonly LogKey[]) => new Map(keys.map(({ kid, jwk }) => [kid, jwk]));
const keySet = keySetOf(trusted);

const python = new PythonProgram();
afterAll(() => python.stop());

const why = pythonThere ? "" : " (skipped: there is no python3 with `cryptography` here)";
const VERIFIERS = [
  { name: "our verifier", judge: ours, there: true },
  { name: `the guide's program in Python${why}`, judge: python.judge, there: pythonThere },
];

const DAYS = ["2030-05-17", "2030-05-18", "2030-05-19", "2030-05-20"] as const;
const [DAY_1, DAY_2, DAY_3, DAY_4] = DAYS;
/** So many records on each day, from the first. */
const daysOf = (...counts: readonly number[]) =>
  counts.map((count, i) => [DAYS[i] as string, count] as const);

/** Two days: records 0 to 11, and 12 to 19. Most cases change this log. */
const twoDays = await writeLog({ key, days: daysOf(12, 8) });
/** Two days again; a second key takes over at 7. */
const rotation = { at: 7, to: secondKey };
const rotatedAt7 = await writeLog({ key, days: daysOf(12, 8), rotation });
/** A day without a record in between: records 0 to 4, and 5 to 9. */
const emptyDay = await writeLog({ key, days: daysOf(5, 0, 5) });
const longDay = await writeLog({ key, days: daysOf(2001) });
const beginning = (log: Log, count: number) => ({ ...log, entries: log.entries.slice(0, count) });
/** One day in two parts: records 0 to 999, and 1000 to 1002. */
const twoParts = beginning(longDay, 1003);
/** One day in two parts of the same length. */
const twoFullParts = beginning(longDay, 2000);
/** The log of another site, under the same key. */
const otherLog = await writeLog({ key, chain: "other.example.com/audit/1", days: daysOf(20) });
/** The name of the log that goes on from the others, after a change of domain or a restore. */
const nextChain = "shop.example.com/audit/2";

const exported = new Map<Log, Promise<Part[]>>();

/** The honest export of a log, a fresh copy each time. */
async function partsOf(log: Log): Promise<Part[]> {
  const parts = exported.get(log) ?? exportLog(log);
  exported.set(log, parts);
  return structuredClone(await parts);
}

const filesOf = (parts: readonly Part[]) => parts.map(fileOf);

/** What an attacker has made again with the key of the log, from nothing to everything. */
const LAYERS = {
  nothing: {},
  bundle: { bundle: true },
  "bundle, tree": { bundle: true, tree: true },
  "bundle, records": { bundle: true, records: true },
  "bundle, tree, records": { bundle: true, tree: true, records: true },
  everything: { bundle: true, tree: true, records: true, links: true },
} as const satisfies Record<string, Forged>;
type Layer = keyof typeof LAYERS;

interface Tampering {
  readonly what: string;
  readonly log?: Log;
  change(parts: Part[]): unknown;
  /** False where the change is to what parts say of themselves. */
  readonly counts?: false;
  /** Layer by layer: what is left to catch it, and what fails then. */
  readonly caught: Partial<Record<Layer, readonly [left: string, fails: Partial<Verdict>]>>;
  /**
   * The first record that differs, where nothing is left to catch whoever makes everything again:
   * only a checkpoint that was kept elsewhere does, if it is of a later size.
   */
  readonly insiderFrom?: number;
}

const headOf = (parts: readonly Part[], part = 0) => (parts[part] as Part).bundle;
const recordsOf = (parts: readonly Part[], part = 0) => headOf(parts, part).records;
const entryAt = (parts: readonly Part[], seq: number) => {
  const entry = parts.flatMap(({ bundle }) => bundle.records)[seq];
  if (entry === undefined) throw new Error(`there is no record ${seq}`);
  return entry;
};
const editAndRehash = async (parts: readonly Part[], seq: number) => {
  const entry = entryAt(parts, seq);
  const { sig } = entry;
  entry.record.site = "another";
  await seal(entry, key);
  entry.sig = sig;
};
/** The same is left to catch it, and the same fails, whichever of these layers were forged. */
const always = (layers: readonly Layer[], left: string, fails: Partial<Verdict>) =>
  Object.fromEntries(layers.map((layer) => [layer, [left, fails] as const]));

/** The records stay as they were changed. */
const UNSEALED: readonly Layer[] = ["nothing", "bundle", "bundle, tree"];
/** The records have their hashes, signatures and places again. */
const RESEALED: readonly Layer[] = ["bundle, records", "bundle, tree, records", "everything"];

const TAMPERINGS: readonly Tampering[] = [
  {
    what: "a record was edited",
    change: (parts) => {
      entryAt(parts, 5).record.site = "another";
    },
    caught: always(UNSEALED, "the record's hash", { integrity: 5 }),
  },
  {
    what: "a record was edited and hashed again",
    change: (parts) => editAndRehash(parts, 5),
    caught: {
      ...always(UNSEALED, "the record's signature", { integrity: 5 }),
      "bundle, records": ["the link of the next record, and the root", { integrity: 6 }],
      "bundle, tree, records": ["the link of the next record", { integrity: 6 }],
    },
    insiderFrom: 5,
  },
  {
    what: "the last record was edited and hashed again",
    change: (parts) => editAndRehash(parts, 19),
    caught: {
      ...always(UNSEALED, "the record's signature", { integrity: 19 }),
      "bundle, records": ["the root alone: nothing links to the last", { integrity: "fails" }],
    },
    insiderFrom: 19,
  },
  {
    what: "the last record of a day was edited and hashed again",
    change: (parts) => editAndRehash(parts, 11),
    caught: {
      ...always(UNSEALED, "the record's signature", { integrity: 11 }),
      "bundle, records": ["the root, and the link of the next day", { integrity: 12 }],
      "bundle, tree, records": ["the link of the next day", { integrity: 12 }],
    },
    insiderFrom: 11,
  },
  {
    what: "a record's hash was changed",
    change: (parts) => {
      entryAt(parts, 5).hash = "ab".repeat(32);
    },
    caught: always(UNSEALED, "the record itself", { integrity: 5 }),
  },
  {
    what: "a record's signature is that of another",
    change: (parts) => {
      entryAt(parts, 5).sig = entryAt(parts, 6).sig;
    },
    caught: always(UNSEALED, "the record's signature", { integrity: 5 }),
  },
  {
    what: "a record was deleted",
    change: (parts) => recordsOf(parts).splice(5, 1),
    caught: {
      nothing: ["all layers", { integrity: 5 }],
      bundle: ["the numbers of the records behind it", { integrity: 5, completeness: 11 }],
      "bundle, tree": ["the numbers of the records behind it", { integrity: 5, completeness: 11 }],
      "bundle, records": ["the link of the next record, and the root", { integrity: 5 }],
      "bundle, tree, records": ["the link of the next record", { integrity: 5 }],
    },
    insiderFrom: 5,
  },
  {
    what: "the first record was deleted",
    change: (parts) => recordsOf(parts).shift(),
    caught: {
      nothing: ["all layers", { integrity: 0 }],
      bundle: ["the numbers of the records behind it", { integrity: 0, completeness: 11 }],
      "bundle, tree": ["the numbers of the records behind it", { integrity: 0, completeness: 11 }],
      ...always(RESEALED, "the missing genesis", { integrity: 0 }),
    },
  },
  {
    what: "a record was inserted",
    change: async (parts) => {
      const entry = structuredClone(entryAt(parts, 5));
      entry.record.record_id = "rec_made_up";
      await seal(entry, strangersKey);
      recordsOf(parts).splice(5, 0, entry);
    },
    caught: {
      ...always(UNSEALED, "the record's signature", { integrity: 5 }),
      "bundle, records": ["the link of the next record, and the root", { integrity: 6 }],
      "bundle, tree, records": ["the link of the next record", { integrity: 6 }],
    },
    insiderFrom: 5,
  },
  {
    what: "a record was repeated",
    change: (parts) => recordsOf(parts).splice(5, 0, structuredClone(entryAt(parts, 5))),
    caught: {
      ...always(UNSEALED, "the numbers of the records", { integrity: 6 }),
      "bundle, tree, records": ["the link of the copy", { integrity: 6 }],
    },
    insiderFrom: 6,
  },
  {
    what: "two records changed places",
    change: (parts) => {
      recordsOf(parts).splice(5, 2, entryAt(parts, 6), entryAt(parts, 5));
    },
    caught: {
      ...always(UNSEALED, "the numbers of the two", { integrity: 5 }),
      "bundle, records": ["the links, and the root", { integrity: 5 }],
      "bundle, tree, records": ["the links", { integrity: 5 }],
      everything: ["the rule that time never goes back", { integrity: 6 }],
    },
  },
  {
    what: "two records changed places and times",
    change: (parts) => {
      const [five, six] = [entryAt(parts, 5), entryAt(parts, 6)];
      const [early, late] = [five.record.recorded_at, six.record.recorded_at];
      five.record.recorded_at = late;
      six.record.recorded_at = early;
      recordsOf(parts).splice(5, 2, six, five);
    },
    caught: {
      ...always(UNSEALED, "hashes and numbers of the two", { integrity: 5 }),
      "bundle, tree, records": ["the links", { integrity: 5 }],
    },
    insiderFrom: 5,
  },
  {
    what: "the last records were cut off",
    change: (parts) => recordsOf(parts, 1).splice(5),
    caught: {
      nothing: ["the part's signature, the count and the root", { integrity: "fails" }],
      bundle: ["the root alone", { integrity: "fails" }],
      "bundle, records": ["the root alone", { integrity: "fails" }],
    },
    insiderFrom: 17,
  },
  {
    what: "the last records of a day were cut off",
    change: (parts) => recordsOf(parts).splice(9),
    caught: {
      nothing: ["all layers; the next day no longer links", { integrity: 12 }],
      bundle: ["the root, and the gap", { integrity: "fails", completeness: 9 }],
      "bundle, tree": ["the gap before the next day", { completeness: 9 }],
      "bundle, tree, records": ["the link of the next day", { integrity: 9 }],
    },
    insiderFrom: 9,
  },
  {
    what: "the genesis was replayed",
    change: (parts) => recordsOf(parts).splice(5, 0, structuredClone(entryAt(parts, 0))),
    caught: {
      ...always(UNSEALED, "the genesis' own number", { integrity: 5 }),
      ...always(RESEALED, "the rule that a log has one genesis", { integrity: 5 }),
    },
  },
  {
    what: "the log begins with another record than a genesis",
    change: (parts) => {
      entryAt(parts, 0).record.type = "audit.read";
    },
    caught: {
      ...always(UNSEALED, "the record's hash", { integrity: 0 }),
      ...always(RESEALED, "the rule that a log begins with its genesis", { integrity: 0 }),
    },
  },
  {
    what: "the genesis names a record before it",
    change: (parts) => {
      entryAt(parts, 0).record.prev_hash = "ab".repeat(32);
    },
    caught: {
      ...always(UNSEALED, "the record's hash", { integrity: 0 }),
      "bundle, tree, records": ["the rule that nothing comes before a genesis", { integrity: 0 }],
    },
  },
  {
    what: "a record was replaced by one of another log with the same keys",
    change: (parts) => {
      recordsOf(parts).splice(5, 1, structuredClone(otherLog.entries[5] as Entry));
    },
    caught: {
      ...always(UNSEALED, "the log's name in the record", { integrity: 5 }),
      ...always(RESEALED, "the log's name in the record", { integrity: 5 }),
    },
  },
  {
    what: "a record names a key that nobody trusts",
    change: (parts) => {
      entryAt(parts, 5).key_id = strangersKey.kid;
    },
    caught: {
      ...always(UNSEALED, "the key set", { integrity: 5 }),
      ...always(RESEALED, "the key set", { integrity: 5 }),
    },
  },
  {
    what: "a record names another trusted key",
    change: (parts) => {
      entryAt(parts, 5).key_id = secondKey.kid;
    },
    caught: {
      ...always(UNSEALED, "the record's signature", { integrity: 5 }),
      ...always(RESEALED, "the lack of a recorded rotation", { integrity: 5 }),
    },
  },
  {
    what: "from some record on, another trusted key signs",
    change: (parts) => {
      for (let seq = 7; seq < 20; seq++) entryAt(parts, seq).key_id = secondKey.kid;
    },
    caught: {
      ...always(UNSEALED, "the record's signature", { integrity: 7 }),
      ...always(RESEALED, "the lack of a recorded rotation", { integrity: 7 }),
    },
  },
  {
    what: "from some day on, another trusted key signs",
    change: (parts) => {
      for (const entry of recordsOf(parts, 1)) entry.key_id = secondKey.kid;
    },
    caught: {
      ...always(UNSEALED, "the record's signature", { integrity: 12 }),
      ...always(RESEALED, "the lack of a recorded rotation", { integrity: 12 }),
    },
  },
  {
    what: "the genesis names another key than the one that signs",
    change: (parts) => {
      entryAt(parts, 0).record.key_id = secondKey.kid;
    },
    caught: {
      ...always(UNSEALED, "the record's hash", { integrity: 0 }),
      everything: ["the key that signs", { integrity: 0 }],
    },
  },
  {
    what: "a rotation names another key than the one that signs",
    log: rotatedAt7,
    change: (parts) => {
      entryAt(parts, 7).record.key_id = key.kid;
    },
    caught: {
      ...always(UNSEALED, "the record's hash", { integrity: 7 }),
      everything: ["the key that signs", { integrity: 7 }],
    },
  },
  {
    what: "a rotation names another previous key than the one that signed before it",
    log: rotatedAt7,
    change: (parts) => {
      entryAt(parts, 7).record.previous_key_id = strangersKey.kid;
    },
    caught: {
      ...always(UNSEALED, "the record's hash", { integrity: 7 }),
      everything: ["the key that signed before it", { integrity: 7 }],
    },
  },
  {
    what: "the first key signs again, long after it was rotated",
    log: rotatedAt7,
    change: (parts) => {
      for (let seq = 15; seq < 20; seq++) entryAt(parts, seq).key_id = key.kid;
    },
    caught: {
      ...always(UNSEALED, "the record's signature", { integrity: 15 }),
      ...always(RESEALED, "the lack of a recorded rotation", { integrity: 15 }),
    },
  },
  {
    what: "a record is older than the one before it",
    change: (parts) => {
      entryAt(parts, 5).record.recorded_at = entryAt(parts, 3).record.recorded_at;
    },
    caught: {
      ...always(UNSEALED, "the record's hash", { integrity: 5 }),
      everything: ["the rule that time never goes back", { integrity: 5 }],
    },
  },
  {
    what: "a record is newer than the one after it",
    change: (parts) => {
      entryAt(parts, 5).record.recorded_at = entryAt(parts, 8).record.recorded_at;
    },
    caught: {
      ...always(UNSEALED, "the record's hash", { integrity: 5 }),
      everything: ["the rule that time never goes back", { integrity: 6 }],
    },
  },
  {
    what: "a record has a time in another form",
    change: (parts) => {
      entryAt(parts, 5).record.recorded_at = `${DAY_1}T08:00:50Z`;
    },
    caught: {
      ...always(UNSEALED, "the record's hash", { integrity: 5 }),
      everything: ["the one form of times", { integrity: 5 }],
    },
  },
  {
    what: "a record is of another day",
    change: (parts) => {
      const { record } = entryAt(parts, 11);
      record.recorded_at = record.recorded_at.replace(DAY_1, DAY_2).replace("T08", "T07");
    },
    caught: {
      ...always(UNSEALED, "the record's hash", { integrity: 11 }),
      everything: ["the day of the part", { integrity: 11 }],
    },
  },
  {
    what: "a record was moved to the next day's part",
    change: (parts) => recordsOf(parts, 1).unshift(...recordsOf(parts).splice(11)),
    caught: {
      // The next day's part still says that it begins with 12.
      nothing: ["all layers", { integrity: 12 }],
      ...always(["bundle, tree, records", "everything"], "the day of the part", { integrity: 11 }),
    },
  },
  {
    what: "a part is of another day",
    change: (parts) => {
      headOf(parts).day = "2030-05-16";
    },
    caught: always([...UNSEALED, ...RESEALED], "the days of the records", { integrity: 0 }),
  },
  {
    what: "the tree before a day was changed",
    change: (parts) => {
      headOf(parts, 1).before.frontier[0] = "ab".repeat(32);
    },
    caught: always(["nothing", "bundle"], "the tree the day before ends in", { integrity: 12 }),
  },
  {
    what: "the tree before a day lacks a subtree",
    change: (parts) => {
      parts.shift();
      headOf(parts).before.frontier.pop();
    },
    caught: always(["nothing", "bundle"], "the size of the tree", { integrity: "fails" }),
  },
  {
    what: "a rule of the owner was changed",
    change: (parts) => {
      headOf(parts).policies[0] = {
        ...policy,
        document: { ...policy.document, default: "escalate" },
      };
    },
    caught: { nothing: ["the part's signature", { integrity: "fails" }] },
  },
  {
    what: "a part gives another count",
    counts: false,
    change: (parts) => {
      headOf(parts, 1).count = 9;
    },
    caught: always(["nothing", "bundle"], "the records, and the day's count", {
      integrity: "fails",
      completeness: "fails",
    }),
  },
  {
    what: "a part and its day give another count",
    counts: false,
    change: (parts) => Object.assign(headOf(parts, 1), { count: 9, day_count: 9 }),
    caught: always(["nothing", "bundle", "bundle, tree"], "the records", { integrity: "fails" }),
  },
  ...[
    { what: "a day gives another count", head: { day_count: 9 } },
    { what: "a day gives another first record", head: { day_first_seq: 11 } },
    { what: "a part gives another part number", head: { part: 2 } },
    { what: "a part says that there are more parts", head: { parts: 2 } },
    { what: "a part says that there are no parts", head: { part: 0, parts: 0 } },
    // Whoever counts up to what a file says never comes to an answer.
    {
      what: "a part says that there are very many parts",
      head: { parts: Number.MAX_SAFE_INTEGER },
    },
    { what: "a day gives a huge count", head: { day_count: Number.MAX_SAFE_INTEGER } },
  ].map(
    ({ what, head }): Tampering => ({
      what,
      counts: false,
      change: (parts) => Object.assign(headOf(parts, 1), head),
      caught: {
        nothing: ["all layers", { integrity: "fails", completeness: "fails" }],
        bundle: ["the other numbers", { completeness: "fails" }],
        "bundle, tree": ["the other numbers", { completeness: "fails" }],
      },
    }),
  ),
  {
    what: "a part says that it starts later",
    counts: false,
    change: (parts) => Object.assign(headOf(parts, 1), { first_seq: 13, day_first_seq: 13 }),
    caught: always(["nothing", "bundle"], "the tree before it, and the gap", {
      integrity: "fails",
      completeness: 12,
    }),
  },
  {
    what: "a running day says that it is over",
    change: (parts) => {
      headOf(parts, 1).closed = !headOf(parts, 1).closed;
    },
    caught: { nothing: ["the part's signature", { integrity: "fails" }] },
  },
  {
    what: "one part of a day says that it is still running",
    log: twoParts,
    change: (parts) => {
      headOf(parts, 1).closed = false;
    },
    caught: { bundle: ["the other part", { completeness: "fails" }] },
  },
  {
    what: "two parts swapped their records",
    log: twoFullParts,
    change: (parts) => {
      const [first, second] = [recordsOf(parts), recordsOf(parts, 1)];
      Object.assign(headOf(parts), { records: second });
      Object.assign(headOf(parts, 1), { records: first });
    },
    caught: always(UNSEALED, "the numbers of the records", { integrity: 0 }),
  },
  {
    what: "two parts swapped their part numbers",
    log: twoParts,
    counts: false,
    change: (parts) => {
      headOf(parts).part = 2;
      headOf(parts, 1).part = 1;
    },
    caught: { bundle: ["the places of the parts", { integrity: 0, completeness: "fails" }] },
  },
];

const tampered = new Map<string, Promise<string[]>>();

/** The files of an export after a change, and after what was forged to hide it. */
function tamperedFiles(
  { what, log = twoDays, change, counts }: Omit<Tampering, "caught">,
  layer: Layer,
): Promise<string[]> {
  const make = async () => {
    const parts = await partsOf(log);
    await change(parts);
    await forge(parts, { ...LAYERS[layer], ...(counts === false && { counts }) }, trusted);
    return filesOf(parts);
  };
  const name = `${what} ${layer}`;
  const files = tampered.get(name) ?? make();
  tampered.set(name, files);
  return files;
}

describe.each(VERIFIERS)("$name finds that", ({ judge, there }) => {
  for (const { caught, ...tampering } of TAMPERINGS) {
    for (const [layer, [left, fails]] of Object.entries(caught)) {
      test.skipIf(!there)(`${tampering.what}, with ${layer} forged, by ${left}`, async () => {
        const files = await tamperedFiles(tampering, layer as Layer);
        expect(await judge({ files }, keySet)).toEqual(verdict(fails));
      });
    }
  }
});

/** Cases of several logs, parts or keys, each with what must be answered. */
interface Case {
  readonly what: string;
  given(): Promise<Given>;
  readonly keys?: readonly LogKey[];
  readonly answer: Partial<Verdict>;
}

function cases(title: string, list: readonly Case[]): void {
  const made = new Map<Case, Promise<Given>>();
  describe.each(VERIFIERS)(`$name ${title}`, ({ judge, there }) => {
    for (const one of list) {
      test.skipIf(!there)(one.what, async () => {
        const given = made.get(one) ?? one.given();
        made.set(one, given);
        const keys = one.keys === undefined ? keySet : keySetOf(one.keys);
        expect(await judge(await given, keys)).toEqual(verdict(one.answer));
      });
    }
  });
}

cases(
  "accepts an unchanged export that",
  [
    ...[1, 999, 1000, 1001, 2001].map((count) => ({
      what: `has a day of ${count} records, with the last part first`,
      given: async () => {
        const parts = await exportLog(beginning(longDay, count));
        expect(parts.length).toBe(Math.ceil(count / 1000));
        return { files: filesOf(parts.reverse()) };
      },
    })),
    {
      what: "has several days, with the files in any order",
      given: async () => {
        const files = filesOf(await exportLog(await writeLog({ key, days: daysOf(3, 4, 5, 1) })));
        return { files: [3, 1, 0, 2].map((i) => files[i] as string) };
      },
    },
    {
      what: "has a later day by itself",
      given: async () => ({ files: filesOf(await partsOf(twoDays)).slice(1) }),
    },
    { what: "has an empty day", given: async () => ({ files: filesOf(await partsOf(emptyDay)) }) },
    {
      what: "has an empty day by itself",
      given: async () => ({ files: filesOf(await partsOf(emptyDay)).slice(1, 2) }),
    },
    {
      what: "has days after the last record",
      given: async () => ({ files: filesOf(await exportLog(emptyDay, { to: DAY_4 })) }),
    },
    {
      what: "has a day that is still running",
      given: async () => ({ files: filesOf(await exportLog(twoDays, { running: true })) }),
    },
    {
      what: "has an empty day that is still running",
      given: async () => ({
        files: filesOf(await exportLog(twoDays, { to: DAY_3, running: true })),
      }),
    },
    {
      what: "has a log and its successor",
      given: async () => {
        const previous = await endOf(twoDays);
        const next = await writeLog({
          key,
          chain: nextChain,
          days: daysOf(0, 3, 4),
          previous,
        });
        return { files: filesOf([...(await partsOf(twoDays)), ...(await exportLog(next))]) };
      },
    },
    {
      what: "has a log whose predecessor is not given",
      given: async () => {
        const previous = await endOf(twoDays);
        const next = await writeLog({
          key,
          chain: nextChain,
          days: daysOf(3),
          previous,
        });
        return { files: filesOf(await exportLog(next)) };
      },
    },
    {
      what: "has the logs of two sites",
      given: async () => ({
        files: filesOf([...(await partsOf(twoDays)), ...(await partsOf(otherLog))]),
      }),
    },
    ...[5, 12].map((at) => ({
      what: `is exported under the new key, after the key was rotated at record ${at}`,
      given: async () => {
        const log = await writeLog({ key, days: daysOf(12, 8), rotation: { ...rotation, at } });
        return { files: filesOf(await exportLog(log)) };
      },
    })),
    {
      what: "is exported under the old key before a rotation, and under the new key after it",
      given: async () => {
        const log = await writeLog({
          key,
          days: daysOf(12, 8),
          rotation: { at: 14, to: secondKey },
        });
        const early = await exportLog({ ...log, key }, { to: DAY_1 });
        return { files: filesOf([...early, ...(await exportLog(log, { from: DAY_2 }))]) };
      },
    },
  ].map((one) => ({ ...one, answer: {} })),
);

describe.each(VERIFIERS)("without trusting the owner of the key, $name", ({ judge, there }) => {
  for (const { insiderFrom, ...tampering } of TAMPERINGS) {
    if (insiderFrom === undefined) continue;
    test.skipIf(!there)(
      `finds that ${tampering.what}, but only with a checkpoint kept elsewhere`,
      async () => {
        const files = await tamperedFiles(tampering, "everything");
        const withPin = async (size: number) =>
          (await judge({ files, pins: [await pinAt(twoDays, size)] }, keySet)).anchoring;
        expect(await judge({ files }, keySet)).toEqual(verdict());
        expect(await withPin(twoDays.entries.length)).toBe("fails");
        expect(await withPin(insiderFrom + 1)).toBe("fails");
        expect(await withPin(insiderFrom)).toBe("holds");
      },
    );
  }
});

const pinned = (what: string, pins: () => Promise<string[]>, answer: Partial<Verdict>): Case => ({
  what,
  answer,
  given: async () => ({ files: filesOf(await partsOf(twoDays)), pins: await pins() }),
});

cases("checks an export against kept checkpoints:", [
  ...[1, 7, 12, 19, 20].map((size) =>
    pinned(`it meets one of record ${size} of 20`, async () => [await pinAt(twoDays, size)], {
      anchoring: "holds",
    }),
  ),
  pinned(
    "it meets all of several",
    async () => [await pinAt(twoDays, 5), await pinAt(twoDays, 12), await pinAt(twoDays, 16)],
    { anchoring: "holds" },
  ),
  pinned(
    "it does not meet one beyond its end, though nothing contradicts it",
    async () => {
      const longer = await writeLog({ key, days: daysOf(12, 9) });
      return [await pinAt(longer, 21)];
    },
    { anchoring: "fails" },
  ),
  pinned(
    "it does not meet one of several",
    async () => {
      const longer = await writeLog({ key, days: daysOf(12, 9) });
      return [await pinAt(twoDays, 5), await pinAt(longer, 21)];
    },
    { anchoring: "fails" },
  ),
  {
    what: "it does not meet one from before its start",
    given: async () => {
      const files = filesOf(await partsOf(twoDays)).slice(1);
      return { files, pins: [await pinAt(twoDays, 11)] };
    },
    answer: { anchoring: "fails" },
  },
  {
    what: "it meets one at its start",
    given: async () => {
      const files = filesOf(await partsOf(twoDays)).slice(1);
      return { files, pins: [await pinAt(twoDays, 12)] };
    },
    answer: { anchoring: "holds" },
  },
  {
    what: "it does not meet one inside a missing part",
    given: async () => {
      const files = filesOf(await partsOf(twoParts)).slice(1);
      return { files, pins: [await pinAt(twoParts, 500)] };
    },
    answer: { completeness: "fails", anchoring: "fails" },
  },
  {
    what: "it cannot tell whether one after a record that does not verify is met",
    given: async () => {
      const parts = await partsOf(twoDays);
      entryAt(parts, 15).record.site = "another";
      return { files: filesOf(parts), pins: [await pinAt(twoDays, 18)] };
    },
    answer: { integrity: 15 },
  },
  pinned("it does not meet one of another log", async () => [await pinAt(otherLog, 12)], {
    anchoring: "fails",
  }),
  pinned(
    "it does not meet one of another history",
    async () => {
      const tree = await treeAt(otherLog, 12);
      return [await signTree(twoDays.chain, tree, key)];
    },
    { anchoring: "fails" },
  ),
  pinned(
    "it does not meet one of another history, even beside one of its own",
    async () => {
      const tree = await treeAt(otherLog, 12);
      return [await pinAt(twoDays, 12), await signTree(twoDays.chain, tree, key)];
    },
    { anchoring: "fails" },
  ),
  pinned(
    "it does not meet one that a stranger signed",
    async () => [await signTree(twoDays.chain, await treeAt(twoDays, 12), strangersKey)],
    { anchoring: "fails" },
  ),
  {
    what: "only a later one shows that a running day was declared over",
    given: async () => {
      const shorter = await writeLog({ key, days: daysOf(12, 5) });
      return { files: filesOf(await exportLog(shorter)), pins: [await pinAt(twoDays, 20)] };
    },
    answer: { anchoring: "fails" },
  },
]);

/** An export of `twoParts` in which the parts were changed, and each signed again by itself. */
async function resigned(change: (parts: Part[]) => unknown): Promise<Given> {
  const parts = await partsOf(twoParts);
  await change(parts);
  for (const part of parts) part.signature = await signPart(part, key);
  return { files: filesOf(parts) };
}

/** The same log, but for a record and its followers, which link to it. */
async function rewritten(log: Log, from: number, change = {}): Promise<Part[]> {
  const parts = await partsOf(log);
  Object.assign(entryAt(parts, from).record, { site: "another", ...change });
  const entries = parts.flatMap(({ bundle }) => bundle.records);
  for (let seq = from; seq < entries.length; seq++) {
    const entry = entryAt(parts, seq);
    if (seq > 0) entry.record.prev_hash = entryAt(parts, seq - 1).hash;
    await seal(entry, key);
  }
  await forge(parts, { tree: true, bundle: true }, trusted);
  return parts;
}

const restarted = await writeLog({ key, days: daysOf(0, 8) });

cases("joins parts and days, and finds that", [
  {
    what: "the first part is missing",
    given: async () => ({ files: filesOf(await partsOf(twoParts)).slice(1) }),
    answer: { completeness: "fails" },
  },
  {
    what: "the last part is missing",
    given: async () => ({ files: filesOf(await partsOf(twoParts)).slice(0, 1) }),
    answer: { completeness: "fails" },
  },
  {
    what: "a day is missing between two",
    given: async () => {
      const parts = await exportLog(await writeLog({ key, days: daysOf(4, 3, 2) }));
      return { files: filesOf(parts.filter(({ bundle }) => bundle.day !== DAY_2)) };
    },
    answer: { completeness: 4 },
  },
  {
    what: "a running day was followed by records that the export lacks",
    given: async () => {
      const early = await exportLog(await writeLog({ key, days: daysOf(9) }), { running: true });
      return { files: filesOf([...early, ...(await partsOf(twoDays)).slice(1)]) };
    },
    answer: { completeness: 9 },
  },
  {
    what: "the last part is missing, the first claims to be the only one, and a checkpoint is not met",
    given: async () => {
      const [part] = (await partsOf(twoParts)) as [Part, Part];
      Object.assign(part.bundle, { parts: 1, day_count: 1000 });
      part.signature = await signPart(part, key);
      return { files: [fileOf(part)], pins: [await pinAt(twoParts, 1003)] };
    },
    answer: { anchoring: "fails" },
  },
  {
    what: "the last part is missing, and the first claims to be the only one, with the old count",
    given: async () => {
      const [part] = (await partsOf(twoParts)) as [Part, Part];
      part.bundle.parts = 1;
      part.signature = await signPart(part, key);
      return { files: [fileOf(part)] };
    },
    answer: { completeness: "fails" },
  },
  {
    what: "a part is given twice",
    given: async () => {
      const [first, second] = filesOf(await partsOf(twoParts)) as [string, string];
      return { files: [first, second, first] };
    },
    answer: { completeness: "fails" },
  },
  {
    what: "a part was replaced by another",
    given: () =>
      resigned((parts) => {
        parts[1] = structuredClone(parts[0] as Part);
        headOf(parts, 1).part = 2;
      }),
    answer: { integrity: 0, completeness: "fails" },
  },
  {
    what: "a part has the same content, but the next one follows a different part",
    given: () =>
      resigned((parts) => {
        headOf(parts).policies = [];
      }),
    answer: { integrity: "fails" },
  },
  {
    what: "the second part does not follow the first",
    given: () =>
      resigned((parts) => {
        headOf(parts, 1).prev_part_sha256 = null;
      }),
    answer: { integrity: "fails" },
  },
  {
    what: "the first part follows another part",
    given: async () => {
      const parts = await partsOf(twoDays);
      headOf(parts, 1).prev_part_sha256 = "ab".repeat(32);
      await forge(parts, { bundle: true }, trusted);
      return { files: filesOf(parts) };
    },
    answer: { integrity: "fails" },
  },
  {
    what: "there are two versions of a part, both signed",
    given: async () => {
      const other = await rewritten(twoParts, 1001);
      return { files: filesOf([...(await partsOf(twoParts)), ...other.slice(1)]) };
    },
    answer: { integrity: 1000, completeness: "fails" },
  },
  {
    what: "there are two versions of a day, both signed",
    given: async () => {
      const other = await rewritten(twoDays, 14);
      return { files: filesOf([...(await partsOf(twoDays)), ...other.slice(1)]) };
    },
    answer: { integrity: 12, completeness: "fails" },
  },
  {
    what: "a part comes from a log that was rewritten from some record on",
    given: async () => {
      const [first] = (await rewritten(twoParts, 500)) as [Part, Part];
      const [, second] = (await partsOf(twoParts)) as [Part, Part];
      return { files: filesOf([first, second]) };
    },
    answer: { integrity: 1000 },
  },
  {
    what: "a part comes from a rewritten log, and the parts claim to follow each other",
    given: async () => {
      const [first] = (await rewritten(twoParts, 500)) as [Part, Part];
      const [, second] = (await partsOf(twoParts)) as [Part, Part];
      await forge([first, second], { bundle: true }, trusted);
      return { files: filesOf([first, second]) };
    },
    answer: { integrity: 1000 },
  },
  {
    what: "a day comes from a log that was rewritten from some record on",
    given: async () => {
      const [first] = (await rewritten(twoDays, 3)) as [Part, Part];
      const [, second] = (await partsOf(twoDays)) as [Part, Part];
      return { files: filesOf([first, second]) };
    },
    answer: { integrity: 12 },
  },
  {
    what: "a record has another number, and the log was rewritten from there on",
    given: async () => ({ files: filesOf(await rewritten(twoDays, 5, { seq: 7 })) }),
    answer: { integrity: 5 },
  },
  {
    what: "the log was started again under the same name",
    given: async () => {
      const [first] = (await partsOf(twoDays)) as [Part, Part];
      return { files: filesOf([first, ...(await exportLog(restarted))]) };
    },
    answer: { integrity: 0 },
  },
  {
    what: "the tree before a day was changed, with matching checkpoints",
    given: async () => {
      const [first, second] = (await partsOf(twoDays)) as [Part, Part];
      second.bundle.before.frontier[0] = "ab".repeat(32);
      await forge([second], { tree: true, bundle: true }, trusted);
      return { files: filesOf([first, second]) };
    },
    answer: { integrity: 12 },
  },
  {
    what: "the tree before a day was changed, the day before is missing, and a checkpoint is not met",
    given: async () => {
      const [, second] = (await partsOf(twoDays)) as [Part, Part];
      second.bundle.before.frontier[0] = "ab".repeat(32);
      await forge([second], { tree: true, bundle: true }, trusted);
      return { files: [fileOf(second)], pins: [await pinAt(twoDays, 16)] };
    },
    answer: { anchoring: "fails" },
  },
  {
    what: "the tree before a day was changed, and the first record of the day is not linked to it",
    given: async () => {
      const [, second] = (await partsOf(twoDays)) as [Part, Part];
      second.bundle.before.frontier[0] = "ab".repeat(32);
      await forge([second], { bundle: true }, trusted);
      return { files: [fileOf(second)] };
    },
    answer: { integrity: "fails" },
  },
  {
    what: "a log names another end of the one before it",
    given: async () => {
      const other = await rewritten(twoDays, 3);
      const next = await writeLog({
        key,
        chain: nextChain,
        days: daysOf(0, 0, 4),
        previous: await endOf(twoDays),
      });
      return { files: filesOf([...other, ...(await exportLog(next))]) };
    },
    answer: { integrity: 0 },
  },
]);

const STRANGE = "was signed by somebody else";

/** The export of `twoDays`, with its last part changed after everything was made. */
async function lastPart(change: (part: Part) => unknown): Promise<Given> {
  const parts = await partsOf(twoDays);
  await change(parts.at(-1) as Part);
  return { files: filesOf(parts) };
}

/** The same, but whoever did it could sign the part again. */
const lastPartResigned = (change: (part: Part) => unknown) =>
  lastPart(async (part) => {
    await change(part);
    part.signature = await signPart(part, key);
  });

/** The lines of one more signature, of a text that may be another. */
const signatureLines = (note: string) => note.slice(note.lastIndexOf("\n\n") + 2);

cases("trusts only the keys it was given, and finds that", [
  {
    what: `a whole log ${STRANGE}`,
    given: async () => {
      const log = await writeLog({ key: strangersKey, days: daysOf(12, 8) });
      return { files: filesOf(await exportLog(log)) };
    },
    answer: { integrity: 0 },
  },
  {
    what: `a whole log ${STRANGE} under the name of a trusted key`,
    given: async () => {
      const log = await writeLog({ key: { ...strangersKey, kid: key.kid }, days: daysOf(12, 8) });
      return { files: filesOf(await exportLog(log)) };
    },
    answer: { integrity: 0 },
  },
  {
    what: "a whole log names a key that nobody trusts, whoever signed it",
    given: async () => {
      const log = await writeLog({ key: { ...key, kid: strangersKey.kid }, days: daysOf(12, 8) });
      return { files: filesOf(await exportLog(log)) };
    },
    answer: { integrity: 0 },
  },
  {
    what: "a part is signed under another name",
    given: () =>
      lastPart((part) => {
        part.signature = part.signature.replace("\u2014 shop.", "\u2014 other.");
      }),
    answer: { integrity: "fails" },
  },
  {
    what: "a retired key is not in the key set",
    given: async () => ({ files: filesOf(await partsOf(twoDays)) }),
    keys: [secondKey],
    answer: { integrity: 0 },
  },
  {
    what: `a part ${STRANGE}`,
    given: () =>
      lastPart(async (part) => {
        part.signature = await signPart(part, strangersKey);
      }),
    answer: { integrity: "fails" },
  },
  {
    what: `a checkpoint before a part ${STRANGE}`,
    given: () =>
      lastPartResigned(async ({ bundle }) => {
        const tree = await treeAt(twoDays, 12);
        bundle.checkpoint_before = await signTree(twoDays.chain, tree, strangersKey);
      }),
    answer: { integrity: "fails" },
  },
  {
    what: `a checkpoint after a part ${STRANGE}`,
    given: () =>
      lastPartResigned(async ({ bundle }) => {
        const tree = await treeAt(twoDays, 20);
        bundle.checkpoint_after = await signTree(twoDays.chain, tree, strangersKey);
      }),
    answer: { integrity: "fails" },
  },
  {
    what: "a stranger's signature beside the log's changes nothing",
    given: () =>
      lastPartResigned(async (part) => {
        const note = await signTree(twoDays.chain, await treeAt(twoDays, 20), strangersKey);
        part.bundle.checkpoint_after += signatureLines(note);
      }),
    answer: {},
  },
  {
    what: "a trusted key's signature of another text stands beside a valid one",
    given: () =>
      lastPartResigned(async (part) => {
        part.bundle.checkpoint_after += signatureLines(await pinAt(twoDays, 19));
      }),
    answer: { integrity: "fails" },
  },
  {
    what: "a trusted key's signature of another text stands beside the signature of a part",
    given: () =>
      lastPart(async (part) => {
        part.signature += signatureLines(await pinAt(twoDays, 19));
      }),
    answer: { integrity: "fails" },
  },
  {
    what: "a part has no signature",
    given: () =>
      lastPart((part) => {
        part.signature = "";
      }),
    answer: { integrity: "fails" },
  },
  {
    what: "a part has the signature of another",
    given: async () => {
      const [first, second] = (await partsOf(twoDays)) as [Part, Part];
      second.signature = first.signature;
      return { files: filesOf([first, second]) };
    },
    answer: { integrity: "fails" },
  },
  {
    what: "a part has a checkpoint instead of a signature",
    given: () =>
      lastPart((part) => {
        part.signature = part.bundle.checkpoint_after;
      }),
    answer: { integrity: "fails" },
  },
  ...(["checkpoint_before", "checkpoint_after"] as const).flatMap((member): Case[] => [
    {
      what: `${member} is that of an earlier size`,
      given: () =>
        lastPartResigned(async ({ bundle }) => {
          bundle[member] = await pinAt(twoDays, 11);
        }),
      answer: { integrity: "fails" },
    },
    {
      what: `${member} is that of another log`,
      given: () =>
        lastPartResigned(async ({ bundle }) => {
          const size = member === "checkpoint_before" ? 12 : 20;
          bundle[member] = await signTree(otherLog.chain, await treeAt(twoDays, size), key);
        }),
      answer: { integrity: "fails" },
    },
    {
      what: `${member} describes another log under the name of this one`,
      given: () =>
        lastPartResigned(async ({ bundle }) => {
          const tree = await treeAt(twoDays, member === "checkpoint_before" ? 12 : 20);
          bundle[member] = await signTree(otherLog.chain, tree, key, twoDays.chain);
        }),
      answer: { integrity: "fails" },
    },
    {
      what: `${member} is of another tree of the same size`,
      given: () =>
        lastPartResigned(async ({ bundle }) => {
          const size = member === "checkpoint_before" ? 12 : 20;
          bundle[member] = await signTree(twoDays.chain, await treeAt(otherLog, size), key);
        }),
      answer: { integrity: "fails" },
    },
    {
      what: `${member} is the signature of a part`,
      given: () =>
        lastPartResigned((part) => {
          part.bundle[member] = part.signature;
        }),
      answer: { integrity: "fails" },
    },
  ]),
]);

/** The export of `twoDays`, with the text of its last file changed. */
async function lastFile(change: (text: string) => string): Promise<Given> {
  const [first, second] = filesOf(await partsOf(twoDays)) as [string, string];
  return { files: [first, change(second)] };
}

cases("reads strictly, and refuses", [
  ...[
    {
      what: "a repeated name",
      change: (text: string) => text.replace('"day"', '"day":"x","day"'),
    },
    {
      what: "a repeated name in a record",
      change: (text: string) => text.replace('"seq":13', '"seq":13,"seq":13'),
    },
    {
      what: "a name repeated in another spelling",
      change: (text: string) => text.replace('"seq":13', '"s\\u0065q":13,"seq":13'),
    },
    { what: "a byte order mark", change: (text: string) => `\ufeff${text}` },
    { what: "more than one value", change: (text: string) => `${text}{}` },
    {
      what: "a log whose name is not a string",
      change: (text: string) => text.replace(`"chain":"${twoDays.chain}"`, '"chain":5'),
    },
    { what: "half a file", change: (text: string) => text.slice(0, text.length / 2) },
    { what: "an empty file", change: () => "" },
    { what: "a list instead of an object", change: () => "[]" },
    { what: "half a character", change: (text: string) => text.replace("rec_13", "\\ud800") },
    {
      what: "NaN for a number",
      change: (text: string) => text.replace('"part":1', '"part":NaN'),
    },
    {
      what: "a file without records",
      change: (text: string) => text.replace('"records":', '"record":'),
    },
  ].map(({ what, change }) => ({
    what,
    given: () => lastFile(change),
    answer: { integrity: "fails" } as const,
  })),
]);

describe.each(VERIFIERS)("$name never accepts, whoever signed it,", ({ judge, there }) => {
  test.skipIf(!there).each([
    { what: "a number with a fraction", member: { minor: 1.5 } },
    { what: "a name that is not ASCII", member: { prénom: "x" } },
  ])("a record with $what", async ({ member }) => {
    const parts = await partsOf(twoDays);
    Object.assign(entryAt(parts, 5).record, member);
    await forge(parts, LAYERS.everything, trusted);
    const { integrity } = await judge({ files: filesOf(parts) }, keySet);
    expect(["fails", 5]).toContain(integrity);
  });
});

describe("our verifier, when it decides each decision again,", () => {
  const replayed = async (parts: readonly Part[]) => {
    const report = await reportOn(filesOf(parts), { keys: keySet, replay: true });
    const { seq } = report.findings.find(({ about }) => about === "replay") ?? {};
    return { answer: report.answers.replay.verdict, seq, decisions: report.decisions_replayed };
  };

  test("gets the same outcome for every decision", async () => {
    expect(await replayed(await partsOf(twoDays))).toEqual({
      answer: "holds",
      seq: undefined,
      decisions: 5,
    });
  });

  test("finds that a rule of the owner was changed, though the part was signed again", async () => {
    const parts = await partsOf(twoDays);
    headOf(parts).policies = [{ ...policy, document: { ...policy.document, default: "escalate" } }];
    await forge(parts, { bundle: true }, trusted);
    expect(await replayed(parts)).toMatchObject({ answer: "fails", seq: 3 });
  });

  test("finds that the rules a decision names were left out", async () => {
    const parts = await partsOf(twoDays);
    headOf(parts).policies = [];
    await forge(parts, { bundle: true }, trusted);
    expect(await replayed(parts)).toMatchObject({ answer: "fails", seq: 3 });
  });

  test("finds that a decision was reversed, though everything was signed again", async () => {
    const parts = await partsOf(twoDays);
    entryAt(parts, 9).record.decision.outcome = "rejected";
    await forge(parts, LAYERS.everything, trusted);
    expect(await replayed(parts)).toMatchObject({ answer: "fails", seq: 9 });
  });

  test("still finds a bad record after a hundred decisions that do not follow from the rules", async () => {
    const parts = await partsOf(twoParts);
    for (const { bundle } of parts) bundle.policies = [];
    entryAt(parts, 999).record.site = "another";
    await forge(parts, { bundle: true }, trusted);
    const report = await reportOn(filesOf(parts), { keys: keySet, replay: true });
    expect(report.answers.integrity.verdict).toBe("fails");
  });
});

cases("finds, as an early version did not, that", [
  {
    what: "another trusted key signs from an empty day on, and no rotation is recorded",
    given: async () => {
      const parts = await partsOf(emptyDay);
      for (const entry of recordsOf(parts, 2)) entry.key_id = secondKey.kid;
      await forge(parts, LAYERS.everything, trusted);
      return { files: filesOf(parts) };
    },
    answer: { integrity: 5 },
  },
  {
    what: "the first record after an empty day names another record before it",
    given: async () => {
      const parts = await partsOf(emptyDay);
      const entries = recordsOf(parts, 2);
      for (const [i, entry] of entries.entries()) {
        entry.record.prev_hash = entries[i - 1]?.hash ?? "ab".repeat(32);
        await seal(entry, key);
      }
      await forge(parts, { tree: true, bundle: true }, trusted);
      return { files: filesOf(parts) };
    },
    answer: { integrity: 5 },
  },
  {
    what: "a log goes on after the end that its successor names",
    given: async () => {
      const previous = await endOf(beginning(twoDays, 16));
      const next = await writeLog({ key, chain: nextChain, days: daysOf(0, 0, 4), previous });
      return { files: filesOf([...(await partsOf(twoDays)), ...(await exportLog(next))]) };
    },
    answer: { integrity: 0 },
  },
  {
    what: "the last day of a log is missing, according to its successor",
    given: async () => {
      const next = await writeLog({
        key,
        chain: nextChain,
        days: daysOf(0, 0, 4),
        previous: await endOf(twoDays),
      });
      const [first] = (await partsOf(twoDays)) as [Part, Part];
      return { files: filesOf([first, ...(await exportLog(next))]) };
    },
    answer: { completeness: 12 },
  },
  {
    what: "a rule of the owner was changed, and the part was signed again",
    given: async () => {
      const parts = await partsOf(twoDays);
      headOf(parts).policies = [
        { ...policy, document: { ...policy.document, default: "escalate" } },
      ];
      await forge(parts, { bundle: true }, trusted);
      return { files: filesOf(parts) };
    },
    answer: { integrity: "fails" },
  },
  {
    what: "there is an empty part after the last",
    given: async () => {
      const parts = await exportLog(beginning(longDay, 1000));
      const extra = structuredClone(parts[0] as Part);
      Object.assign(extra.bundle, { part: 2, first_seq: 1000, records: [], count: 0 });
      parts.push(extra);
      await forge(parts, { tree: true, bundle: true, counts: false }, trusted);
      return { files: filesOf(parts) };
    },
    answer: { completeness: "fails" },
  },
  {
    what: "the first record of a day has no time",
    given: async () => {
      const parts = await partsOf(twoDays);
      delete entryAt(parts, 12).record.recorded_at;
      return { files: filesOf(parts) };
    },
    answer: { integrity: 12 },
  },
]);

describe(`the guide's program in Python${why}`, () => {
  test("is short enough to read, and needs only one library", () => {
    const lines = programOfGuide().trimEnd().split("\n");
    expect(lines.length).toBeLessThanOrEqual(220);
    const imported = lines.filter((line) => /^(?:import|from) /.test(line)).join("\n");
    const names = [...imported.matchAll(/^from (\w+)|^import (.*)$/gm)];
    const modules = names.flatMap(([, one, many]) => one ?? (many as string).split(", "));
    const standard = "argparse base64 contextlib hashlib json pathlib re sys".split(" ");
    expect(modules.filter((name) => !standard.includes(name))).toEqual(["cryptography"]);
  });

  test.skipIf(!pythonThere)(
    "answers each question on its own line, and sets its exit code",
    async () => {
      const parts = await exportLog(twoDays, { running: true });
      const good = await python.run(
        { files: filesOf(parts), pins: [await pinAt(twoDays, 7)] },
        keySet,
      );
      expect(good).toEqual({
        code: 0,
        said: [
          `shop.example.com/audit/1: records 0 to 19, ${DAY_1} to ${DAY_2}, not over yet`,
          "integrity: ok",
          "completeness: ok",
          "anchoring: ok",
          "",
        ].join("\n"),
      });
      entryAt(parts, 5).record.site = "another";
      const bad = await python.run({ files: filesOf(parts).slice(0, 1) }, keySet);
      expect(bad.code).toBe(1);
      expect(bad.said).toMatch(
        /\nintegrity: FAILS at record 5: .+\ncompleteness: not checked: integrity fails\nanchoring: not checked/,
      );
    },
  );

  test.skipIf(!pythonThere)(
    "fails and says nothing about the export if no file is an export",
    async () => {
      const { code, said } = await python.run({ files: ["{}"] }, keySet);
      expect(code).toBe(1);
      expect(said).toContain("completeness: not checked: integrity fails");
    },
  );

  test.skipIf(!pythonThere)("says which files it can read, without a traceback", async () => {
    const page = await python.run({ files: ["<!doctype html>"] }, keySet);
    expect(page.code).toBe(1);
    expect(page.said).toMatch(/^integrity: FAILS .*this program reads JSON exports only/);
    const err = await python.runWithKeys("absent.json");
    expect(err).toContain("absent.json cannot be used as a key set");
    expect(err).not.toContain("Traceback");
  });

  test.skipIf(!pythonThere).each<[string, (entries: Entry[]) => unknown, string]>([
    ["a dropped record", (entries) => entries.splice(5, 1), "record 5 is missing"],
    [
      "a swapped pair",
      (entries) => entries.splice(5, 2, entries[6] as Entry, entries[5] as Entry),
      "record 6 comes before record 5",
    ],
  ])("says what happened: %s", async (_what, change, text) => {
    const parts = await partsOf(twoDays);
    change(recordsOf(parts));
    const { said } = await python.run({ files: filesOf(parts) }, keySet);
    expect(said).toContain(text);
  });

  test.skipIf(!pythonThere)(
    "verifies what a running service exports over HTTP, and finds one changed letter",
    async () => {
      const server = await startServer(await freshEnvironment("sqlite"));
      const site = await createSite(server, "shop.example.com");
      const day = new Date().toISOString().slice(0, 10);
      const toolCall = (i: number) => ({
        type: "mcp.tools_call" as const,
        occurredAt: Date.now(),
        content: { tool: { name: `tool ${i} \u{1f337}` } },
      });
      // One after the other: a commit whose turn does not come within two seconds is refused.
      for (let from = 0; from < 1100; from += 100) {
        const records = Array.from({ length: 100 }, (_, i) => toolCall(from + i));
        await server.context.audit.commit(site.site_key_hash, async () => ({
          records,
          answer: null,
        }));
      }
      const path = `/v1/admin/sites/${site.site_key_hash}/audit/checkpoint`;
      const { body: pin } = await server.admin("GET", path);
      const files = (await exportDay(server, site.site_key_hash, { day })).map(({ text }) => text);
      const keys = await auditKeys(server);
      expect(files.length).toBe(2);
      expect(await python.judge({ files, pins: [pin] }, keys)).toEqual(
        verdict({ anchoring: "holds" }),
      );
      expect(await ours({ files, pins: [pin] }, keys)).toEqual(verdict({ anchoring: "holds" }));
      const [first, second] = files as [string, string];
      const changed = second.replace("tool 10", "tool 11");
      expect(changed).not.toBe(second);
      const found = await python.judge({ files: [first, changed] }, keys);
      expect(found.integrity).toBeGreaterThanOrEqual(1000);
      expect(await ours({ files: [first, changed] }, keys)).toEqual(found);
    },
  );
});
