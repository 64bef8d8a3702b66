import { describe, expect, test } from "vitest";
import { fromBase64, toBase64 } from "../src/base64.ts";
import {
  appendLeaf,
  checkpointText,
  consistencyHashes,
  EMPTY_FRONTIER,
  ed25519Bytes,
  type Frontier,
  fromHex,
  generateEd25519,
  inclusionHashes,
  isFrontier,
  leafHash,
  noteKeyText,
  PROOF_HASHES_MAX,
  readCheckpoint,
  readNoteKey,
  signNote,
  toHex,
  treeRoot,
  utf8,
  verifyConsistency,
  verifyInclusion,
  verifyNote,
} from "../src/index.ts";
import { vectors } from "./vectors.ts";

const bytesOf = (coded: string) => fromBase64(coded) ?? new Uint8Array();

/** A number of a vector, whole: JSON.parse would round the large ones. */
function bigOf(text: string, name: string): bigint {
  return BigInt(new RegExp(`"${name}":\\s*(\\d+)`).exec(text)?.[1] ?? 0);
}

interface Vector {
  readonly root: string;
  readonly leafHash: string;
  readonly root1: string;
  readonly root2: string;
  readonly proof: readonly string[] | null;
  readonly wantErr: boolean;
}

async function holds(name: string, text: string): Promise<boolean> {
  const vector = JSON.parse(text) as Vector;
  const hashes = (vector.proof ?? []).map(bytesOf);
  if (name.includes("inclusion")) {
    const proof = { index: bigOf(text, "leafIdx"), size: bigOf(text, "treeSize"), hashes };
    return (await verifyInclusion(proof, bytesOf(vector.leafHash), bytesOf(vector.root))).ok;
  }
  const proof = { size1: bigOf(text, "size1"), size2: bigOf(text, "size2"), hashes };
  return (await verifyConsistency(proof, bytesOf(vector.root1), bytesOf(vector.root2))).ok;
}

async function treeOf(leaves: readonly Uint8Array[]): Promise<Frontier> {
  let frontier = EMPTY_FRONTIER;
  for (const leaf of leaves) frontier = await appendLeaf(frontier, await leafHash(leaf));
  return frontier;
}

describe("external test vectors of the audit tree:", () => {
  test.skipIf(vectors === undefined)("proofs verify or fail as expected", async ({ task }) => {
    const wrong: string[] = [];
    for (const { name, text } of vectors?.merkle ?? []) {
      if ((await holds(name, text)) === JSON.parse(text).wantErr) wrong.push(name);
    }
    expect(wrong).toEqual([]);
    Object.assign(task.meta, { outside: vectors?.merkle.length });
  });

  test.skipIf(vectors === undefined)(
    "trees of 0 to 8 leaves have the expected roots",
    async ({ task }) => {
      const { leaf_inputs_hex: inputs = [], root_hashes_hex: roots = [] } =
        vectors?.merkleRoots ?? {};
      for (const [size, root] of roots.entries()) {
        const leaves = inputs.slice(0, size).map((hex) => fromHex(hex) ?? new Uint8Array());
        expect([size, toHex(await treeRoot(await treeOf(leaves)))]).toEqual([size, root]);
      }
      Object.assign(task.meta, { outside: roots.length });
    },
  );

  test.skipIf(vectors === undefined)("the signed note verifies", async ({ task }) => {
    const key = await readNoteKey(vectors?.note.vkey ?? "");
    const verified = key.ok ? await verifyNote(vectors?.note.note ?? "", [key.value]) : key;
    expect(verified.ok && verified.value.text).toBe("This is an example message.\n");
    Object.assign(task.meta, { outside: 1 });
  });
});

describe("the audit tree", () => {
  test("has the roots that RFC 6962 gives", async () => {
    expect(toHex(await treeRoot(EMPTY_FRONTIER))).toBe(
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    );
    const inputs = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657"];
    const last = "606162636465666768696a6b6c6d6e6f";
    const leaves = [...inputs, last].map((hex) => fromHex(hex) ?? new Uint8Array());
    expect(toHex(await treeRoot(await treeOf(leaves)))).toBe(
      "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    );
  });

  test("keeps one subtree for each 1 in the binary form of its size", async () => {
    let frontier = EMPTY_FRONTIER;
    for (let size = 1; size <= 70; size++) {
      frontier = await appendLeaf(frontier, await leafHash(utf8(String(size))));
      const ones = size.toString(2).replaceAll("0", "").length;
      expect([frontier.size, frontier.hashes.length, isFrontier(frontier)]).toEqual([
        size,
        ones,
        true,
      ]);
    }
    expect(isFrontier({ ...frontier, size: frontier.size + 1 })).toBe(false);
    expect(isFrontier({ size: 1, hashes: [new Uint8Array(31)] })).toBe(false);
    expect(isFrontier({ size: -1, hashes: [] })).toBe(false);
  });

  test("proves every leaf and every growth from the stored nodes", async () => {
    const SIZE = 33;
    const rows: { leaf: Uint8Array; closed: readonly Uint8Array[] }[] = [];
    const roots = [await treeRoot(EMPTY_FRONTIER)];
    let frontier: Frontier = EMPTY_FRONTIER;
    for (let i = 0; i < SIZE; i++) {
      const leaf = await leafHash(utf8(`record ${i}`));
      const grown = await appendLeaf(frontier, leaf);
      rows.push({ leaf, closed: grown.closed });
      frontier = grown;
      roots.push(await treeRoot(frontier));
    }
    // The subtree of a level ends at one leaf, and was kept beside it.
    const nodeAt = (level: number, index: number) => {
      const row = rows[(index + 1) * 2 ** level - 1];
      return (level === 0 ? row?.leaf : row?.closed[level - 1]) ?? new Uint8Array();
    };
    const root = (size: number) => roots[size] ?? new Uint8Array();
    for (let size = 1; size <= SIZE; size++) {
      for (let index = 0; index < size; index++) {
        const hashes = await inclusionHashes(index, size, nodeAt);
        const proof = { index: BigInt(index), size: BigInt(size), hashes };
        const leaf = nodeAt(0, index);
        expect([size, index, (await verifyInclusion(proof, leaf, root(size))).ok]).toEqual([
          size,
          index,
          true,
        ]);
        expect((await verifyInclusion(proof, nodeAt(0, (index + 1) % SIZE), root(size))).ok).toBe(
          false,
        );
        const grown = await consistencyHashes(index + 1, size, nodeAt);
        const growth = { size1: BigInt(index + 1), size2: BigInt(size), hashes: grown };
        expect((await verifyConsistency(growth, root(index + 1), root(size))).ok).toBe(true);
        expect((await verifyConsistency(growth, root(index), root(size))).ok).toBe(false);
      }
    }
  });

  test("refuses proofs that are too long, or not made of hashes", async () => {
    const root = new Uint8Array(32);
    const long = Array.from({ length: PROOF_HASHES_MAX + 1 }, () => root);
    for (const hashes of [long, [new Uint8Array(31)]]) {
      const inside = await verifyInclusion({ index: 0n, size: 2n, hashes }, root, root);
      const grown = await verifyConsistency({ size1: 1n, size2: 2n, hashes }, root, root);
      expect([inside.ok, grown.ok]).toEqual([false, false]);
    }
  });
});

describe("a signed note", () => {
  const name = "shop.example.com/audit/1";
  async function signed(text: string) {
    const { signer, jwk } = await generateEd25519("k");
    const key = { name, publicKey: ed25519Bytes(jwk) };
    return { key, signer, note: await signNote(text, key, signer) };
  }
  const reason = (result: { ok: boolean; reason?: string }) => (result.ok ? "" : result.reason);

  test("is separated from its signatures by the last empty line", async () => {
    const { key, note } = await signed("one\n\ntwo\n");
    const verified = await verifyNote(note, [key]);
    expect(verified.ok && verified.value).toEqual({ text: "one\n\ntwo\n", signedBy: [name] });
  });

  test("does not verify with a changed text, or with a bad signature of a known key", async () => {
    const { key, note } = await signed("hello\n");
    expect(reason(await verifyNote(note.replace("hello", "hullo"), [key]))).toBe(
      "signature_invalid",
    );
    const other = await signed("hello\n");
    expect(reason(await verifyNote(note, [other.key]))).toBe("unknown_key");
    const both = note + (other.note.split("\n\n")[1] ?? "");
    expect((await verifyNote(both, [key])).ok).toBe(true);
    const bad = both.replace("hello", "hullo");
    expect(reason(await verifyNote(bad, [other.key]))).toBe("signature_invalid");
  });

  test.each([
    ["no empty line", "hello\n"],
    ["no line break at the end", "hello\n\n\u2014 a.example AAAAAAA="],
    ["a hyphen instead of a dash", "hello\n\n- a.example AAAAAAAA\n"],
    ["an invalid signature line", "hello\n\nnonsense\n"],
  ])("with %s is malformed", async (_what, note) => {
    const { key } = await signed("x\n");
    expect(reason(await verifyNote(note, [key]))).toBe("malformed");
  });

  test("has a key that fits on one line, with a key id that must match", async () => {
    const { key } = await signed("x\n");
    const line = await noteKeyText(key);
    const read = await readNoteKey(line);
    expect(read.ok && read.value).toEqual(key);
    expect((await readNoteKey(line.replace(name, "other.example"))).ok).toBe(false);
  });

  test("may be a checkpoint, which has exactly three lines", () => {
    const text = checkpointText({ origin: name, size: 7, root: new Uint8Array(32) });
    const read = readCheckpoint(text);
    expect(read.ok && [read.value.origin, read.value.size]).toEqual([name, 7]);
    for (const bad of [
      `${text}more\n`,
      text.replace("\n7\n", "\n07\n"),
      text.slice(0, -1),
      "a\n1\nAA==\n",
    ]) {
      expect(readCheckpoint(bad).ok).toBe(false);
    }
  });

  test("has only one valid spelling of its base64", () => {
    expect(toBase64(Uint8Array.of(251, 255))).toBe("+/8=");
    expect([fromBase64("+/8="), fromBase64("+/9="), fromBase64("+/8"), fromBase64("-_8=")]).toEqual(
      [Uint8Array.of(251, 255), undefined, undefined, undefined],
    );
  });
});
