import { describe, expect, test } from "vitest";
import {
  appendLeaf,
  EMPTY_FRONTIER,
  exportInPage,
  exportVerifier,
  fromHex,
  generateEd25519,
  inclusionHashes,
  NO_PREVIOUS_HASH,
  readReceipt,
  receiptText,
  signExportFile,
  toHex,
  treeRoot,
  verifyCheckpoint,
  verifyExportFile,
  verifyReceipt,
} from "../src/index.ts";
import { CHAIN, DAY, exportOf, verdict, writeLog } from "./written-log.ts";

describe("an export", () => {
  test("verifies with the key alone", async () => {
    const log = await writeLog([{}, { note: "a" }, { note: "b" }]);
    const report = await verdict(await exportOf(log), log.jwk);
    expect([report.ok, report.records, report.findings.length]).toEqual([true, 3, 0]);
    expect(report.answers.anchoring.verdict).toBe("not_checked");
  });

  test("does not verify with another key, or with any byte changed", async () => {
    const log = await writeLog([{}, { note: "a" }]);
    const text = await exportOf(log);
    const { jwk } = await generateEd25519("k1");
    expect((await verdict(text, jwk)).ok).toBe(false);
    for (let at = 20; at < text.length - 2; at += 61) {
      const changed = `${text.slice(0, at)}${text[at] === "a" ? "b" : "a"}${text.slice(at + 1)}`;
      const verifier = exportVerifier({
        keys: new Map([["k1", log.jwk]]),
        pins: [],
        replay: false,
      });
      const added = await verifier.add(changed);
      expect(added.ok && verifier.report().ok).toBe(false);
    }
  });

  test("passes through an earlier checkpoint, and must reach a later one", async () => {
    const log = await writeLog([{}, { note: "a" }, { note: "b" }]);
    const longer = await writeLog([{}, { note: "a" }, { note: "b" }, { note: "c" }]);
    const text = await exportOf(log);
    const root = await treeRoot(log.frontier);
    const pin = { origin: CHAIN, size: 3, root };
    expect((await verdict(text, log.jwk, { pins: [pin] })).answers.anchoring.verdict).toBe("holds");
    const later = { origin: CHAIN, size: 4, root: await treeRoot(longer.frontier) };
    const beyond = (await verdict(text, log.jwk, { pins: [later] })).answers.anchoring;
    expect([beyond.verdict, beyond.text.startsWith("unanchored")]).toEqual(["fails", true]);
    const fork = { origin: CHAIN, size: 3, root: new Uint8Array(32) };
    expect((await verdict(text, log.jwk, { pins: [fork] })).answers.anchoring.verdict).toBe(
      "fails",
    );
  });

  test.each([
    [[]],
    [{ prev_hash: {} }],
    [{ prev_hash: [NO_PREVIOUS_HASH] }],
    [{ recorded_at: [`${DAY}T12:00:01.000Z`] }],
    [{ occurred_at: {} }],
    [{ seq: "1" }],
    [{ type: ["site.changed"] }],
  ])(
    "is refused, without an exception, if it has a member of another type: %j",
    async (members) => {
      const log = await writeLog([{}, { note: "a" }]);
      const parsed = JSON.parse(await exportOf(log));
      Object.assign(parsed.bundle.records[1].record, members, { extra: 1 });
      const report = await verdict(JSON.stringify(parsed), log.jwk);
      expect([report.ok, report.findings[0]?.seq]).toEqual([false, 1]);
    },
  );

  test("with a changed record is not reported as following the rules", async () => {
    const log = await writeLog([{}, { note: "a" }]);
    const text = await exportOf(log);
    const replay = async (of: string) =>
      (await verdict(of, log.jwk, { replay: true })).answers.replay;
    expect((await replay(text)).verdict).toBe("holds");
    const changed = await replay(text.replace('"note":"a"', '"note":"b"'));
    expect(changed.verdict).toBe("not_checked");
    expect(changed.text).toBe("cannot be checked while integrity fails at record 1");
  });

  test.each<[string, (records: unknown[]) => unknown, string]>([
    [
      "a dropped record",
      (records) => records.splice(2, 1),
      "record 2 is missing: record 3 comes next",
    ],
    [
      "two dropped records",
      (records) => records.splice(1, 2),
      "records 1 to 2 are missing: record 3 comes next",
    ],
    [
      "a swapped pair",
      (records) => records.splice(2, 2, records[3], records[2]),
      "record 3 comes before record 2",
    ],
    [
      "a repeated record",
      (records) => records.splice(2, 0, records[1]),
      "record 2: record 1 is here a second time",
    ],
    [
      "a cut end",
      (records) => records.pop(),
      "the part says that it has 5 records, but has 4: records are missing",
    ],
  ])("says what happened to it: %s", async (_what, change, text) => {
    const log = await writeLog([{}, { note: "a" }, { note: "b" }, { note: "c" }, { note: "d" }]);
    const parsed = JSON.parse(await exportOf(log));
    change(parsed.bundle.records);
    const pin = { origin: CHAIN, size: 5, root: await treeRoot(log.frontier) };
    const { answers } = await verdict(JSON.stringify(parsed), log.jwk, { pins: [pin] });
    expect(answers.integrity).toEqual({ verdict: "fails", text });
    // What lies behind a bad record was not looked at, so nothing is said of it.
    for (const answer of [answers.completeness, answers.anchoring]) {
      expect(answer.verdict).toBe("not_checked");
      const words = "cannot be checked while integrity fails";
      expect([answer.text, answer.text.startsWith(words)]).toEqual([answer.text, true]);
    }
  });

  test("that was changed behind its records says so in the words of parts", async () => {
    const log = await writeLog([{}, { note: "a" }]);
    const text = (await exportOf(log)).replace('"closed":true', '"closed":false');
    expect((await verdict(text, log.jwk)).answers.integrity.text).toBe(
      "the signature of the part: it is for different contents, so records are missing or were changed",
    );
  });

  test("that claims a huge number of parts is still verified in finite time", async () => {
    const log = await writeLog([{}]);
    const parsed = JSON.parse(await exportOf(log));
    parsed.bundle.parts = Number.MAX_SAFE_INTEGER;
    expect((await verdict(JSON.stringify(parsed), log.jwk)).ok).toBe(false);
  });
});

test("a receipt proves its own record and no other", async () => {
  const log = await writeLog([{}, { note: "a" }, { note: "b" }]);
  const leaves = log.entries.map(({ hash }) => fromHex(hash) as Uint8Array);
  const pair = (
    await appendLeaf(
      await appendLeaf(EMPTY_FRONTIER, leaves[0] as Uint8Array),
      leaves[1] as Uint8Array,
    )
  ).hashes[0];
  const nodeAt = (level: number, index: number) =>
    (level === 1 ? pair : leaves[index]) as Uint8Array;
  const hashes = await inclusionHashes(1, 3, nodeAt);
  const text = receiptText({ index: 1, hashes, checkpoint: await log.checkpointAt(log.frontier) });
  const read = readReceipt(text);
  if (!read.ok) throw new Error(read.detail);
  expect((await verifyReceipt(read.value, leaves[1] as Uint8Array, [log.jwk])).ok).toBe(true);
  expect((await verifyReceipt(read.value, leaves[2] as Uint8Array, [log.jwk])).ok).toBe(false);
  const other = await generateEd25519("k1");
  expect((await verifyReceipt(read.value, leaves[1] as Uint8Array, [other.jwk])).ok).toBe(false);
  const withExtra = text.replace("\n", "\nextra aGVsbG8=\n");
  expect(readReceipt(withExtra)).toEqual(read);
  for (const bad of ["", "x", text.replace("index 1", "index 01"), text.replace("index 1\n", "")]) {
    expect(readReceipt(bad).ok).toBe(false);
  }
});

test("a checkpoint is valid only under its own log's name", async () => {
  const log = await writeLog([{}]);
  const note = await log.checkpointAt(log.frontier);
  expect((await verifyCheckpoint(note, [log.jwk])).ok).toBe(true);
  const renamed = note.replaceAll("shop.example.com", "other.example.com");
  expect((await verifyCheckpoint(renamed, [log.jwk])).ok).toBe(false);
  expect((await verifyCheckpoint(note.replace("\n1\n", "\n2\n"), [log.jwk])).ok).toBe(false);
});

test("the note of a file is valid for its exact content only", async () => {
  const { signer, jwk, key } = await writeLog([{}]);
  const file = {
    chain: CHAIN,
    name: "a.ndjson",
    sha256: "ab".repeat(32),
    first_seq: 0,
    count: 1,
    root: new Uint8Array(32),
  };
  const note = await signExportFile(file, key, signer);
  const claim = await verifyExportFile(note, [jwk]);
  expect(claim.ok && [claim.value.name, claim.value.sha256, claim.value.count]).toEqual([
    "a.ndjson",
    "ab".repeat(32),
    1,
  ]);
  for (const change of [
    note.replace("a.ndjson", "b.ndjson"),
    note.replace("ab", "cd"),
    note.slice(1),
  ]) {
    expect((await verifyExportFile(change, [jwk])).ok).toBe(false);
  }
});

test("the part inside a page is found, and its root can be recomputed", async () => {
  const log = await writeLog([{}]);
  const text = (await exportOf(log)).replaceAll("<", "\\u003c");
  const page = `<p>hello</p><script type="application/json" id="audit-export">${text}</script>`;
  expect((await verdict(exportInPage(page) as string, log.jwk)).ok).toBe(true);
  expect(toHex(await treeRoot(log.frontier))).toBe(log.entries[0]?.hash as string);
});
