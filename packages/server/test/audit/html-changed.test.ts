import { type Bundle, sealRecord } from "@gatehouse/protocol";
import { beforeAll, describe, expect, test } from "vitest";
import { skipChromium } from "../../../../test/chromium.ts";
import { keySet, type PageSetUp, pageOf, pageOfLog, setUpPages } from "./page-browser.ts";
import {
  checkpointAt,
  type OpenBundle,
  openEntry,
  signedPart,
  signPart,
  writeLog,
  writePart,
  writeRecord,
} from "./written-log.ts";

let { key, other, log, long, browser } = {} as PageSetUp;
beforeAll(async () => {
  const pages = await setUpPages();
  ({ key, other, log, long, browser } = pages);
  return pages.tearDown;
});

type Change = (bundle: OpenBundle) => OpenBundle | Promise<OpenBundle>;
type Entry = Bundle["records"][number];

const withRecords = (bundle: OpenBundle, change: (records: Entry[]) => void): OpenBundle => {
  const records = [...bundle.records];
  change(records);
  return { ...bundle, records };
};
const edited = ({ record, ...proof }: Entry): Entry => ({
  ...proof,
  record: { ...record, change: { kind: "something else" } },
});
const editAt = (bundle: OpenBundle, seq: number) =>
  withRecords(bundle, (records) => records.splice(seq, 1, edited(records[seq] as Entry)));

const CHANGES: readonly (readonly [string, RegExp, Change])[] = [
  [
    "an edited record",
    /record 7: the stored hash does not match the record/,
    (it) => editAt(it, 7),
  ],
  [
    "an edited record with a recomputed hash",
    /record 7: the signature of the record is not valid/,
    async (it) => {
      const entry = edited(it.records[7] as Entry);
      const { hash } = await sealRecord(entry.record);
      return withRecords(it, (records) => records.splice(7, 1, { ...entry, hash }));
    },
  ],
  [
    "an edited last record",
    /record 19: the stored hash does not match the record/,
    (it) => editAt(it, 19),
  ],
  [
    "a deleted record",
    /record 7 is missing: record 8 comes next/,
    (it) => withRecords(it, (records) => records.splice(7, 1)),
  ],
  [
    "an inserted record",
    /record 8: the signature of the record is not valid/,
    async (it) => {
      const forger = { chain: it.chain, key: { ...other, kid: key.kid } };
      const entry = await writeRecord(forger, 8, (it.records[7] as Entry).hash, {});
      return withRecords(it, (records) => records.splice(8, 0, openEntry(entry)));
    },
  ],
  [
    "records in another order",
    /comes before record 7/,
    (it) => withRecords(it, (records) => records.splice(7, 2, ...records.slice(7, 9).reverse())),
  ],
  [
    "records cut off at the end",
    /the part says that it has 20 records, but has 19: records are missing/,
    (it) => withRecords(it, (records) => records.splice(19)),
  ],
  [
    "records cut off at the end with matching counts",
    /the checkpoint after the part: it is for a different number of records/,
    (it) => ({
      ...withRecords(it, (records) => records.splice(19)),
      count: 19,
      day_count: 19,
    }),
  ],
  [
    "a changed genesis",
    /record 0: the stored hash does not match the record/,
    (it) => editAt(it, 0),
  ],
  [
    "a log that does not begin with its genesis",
    /record 0: an epoch must begin with chain.genesis/,
    async () => writePart(await writeLog(3, key, () => ({ type: "site.changed" }))),
  ],
  [
    "a changed checkpoint",
    /the checkpoint after the part: the signature of a known key is not valid/,
    (it) => {
      const [origin = "", size, root = "", ...rest] = it.checkpoint_after.split("\n");
      const turned = root.startsWith("A") ? `B${root.slice(1)}` : `A${root.slice(1)}`;
      return { ...it, checkpoint_after: [origin, size, turned, ...rest].join("\n") };
    },
  ],
  [
    "a checkpoint of an earlier moment",
    /the checkpoint after the part: it is for a different number of records/,
    async (it) => ({ ...it, checkpoint_after: await checkpointAt(log, 12) }),
  ],
  [
    "the records of another part",
    /record 1000: record 0 is in its place/,
    async () => {
      const [one, two] = [await writePart(long), await writePart(long, { part: 2 })];
      return { ...two, records: one.records.slice(0, two.count) };
    },
  ],
  [
    "fewer records than the day is said to have",
    /2030-05-17 does not contain the records of this part/,
    (it) => ({ ...it, day_count: 25 }),
  ],
  [
    "a part with an invalid number",
    /2030-05-17 part 1 of 2 is missing/,
    async () => ({ ...(await writePart(long)), part: 0, day_first_seq: 1000, day_count: 1500 }),
  ],
];

describe.skipIf(skipChromium)("a page that was changed", () => {
  // Signed again by the right key, nothing but the layer in question can notice.
  test.each(CHANGES)("fails and says where, for %s", async (_name, where, change) => {
    const good = await writePart(log);
    const bundle = await change(good);
    const stale = await signPart(log, good);
    for (const signature of [stale, await signPart(log, bundle)]) {
      const html = await pageOf({ bundle, signature }, [key]);
      const { verdict, banner, text, answer, give, page } = await browser.open(html);
      expect(await verdict()).toBe("fails");
      expect(await text()).toMatch(where);
      const [, seq] = /record (\d+)/.exec(where.source) ?? [];
      const [integrity] = await answer("integrity");
      if (integrity === "fails") expect(await page.locator("dd.holds").count()).toBe(0);
      if (seq !== undefined) {
        expect(await banner()).toMatch(where);
        expect(await page.getAttribute(`#record-${seq}`, "class")).toBe("bad");
      }
      if (signature === stale) continue;
      expect(await give({ key: keySet(key) })).toBe("fails");
      expect(await text()).toMatch(where);
    }
  });

  test("fails by the part's signature alone if only the frame was changed", async () => {
    const { bundle, signature } = await signedPart(log, await writePart(log));
    const running = { ...bundle, closed: false };
    const { verdict, banner } = await browser.open(
      await pageOf({ bundle: running, signature }, [key]),
    );
    expect(await verdict()).toBe("fails");
    expect(await banner()).toContain("the signature of the part");
  });

  test("fails if it contains no export", async () => {
    const html = (await pageOfLog(log)).replace('{"bundle":', '{"bundel":');
    const { verdict, banner } = await browser.open(html);
    expect(await verdict()).toBe("fails");
    expect(await banner()).toContain("it is not a part of an audit export");
  });

  test.each([
    ["prev_hash", {}],
    ["seq", {}],
    ["recorded_at", []],
  ])("fails if a record's %s is of another type", async (name, value) => {
    const bundle = withRecords(await writePart(log), (records) => {
      const { record, ...proof } = records[7] as Entry;
      records.splice(7, 1, { ...proof, record: { ...record, [name]: value } });
    });
    const html = await pageOf(await signedPart(log, bundle), [key]);
    const { verdict } = await browser.open(html);
    expect(await verdict()).toBe("fails");
  });
});
