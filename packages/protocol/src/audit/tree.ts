import { concatBytes, sha256 } from "../bytes.js";
import { ok, type Result, refuse } from "../result.js";

/**
 * SHA-256 of bytes, or of a text as UTF-8. Servers pass a synchronous one, which is far faster on
 * small inputs.
 */
export type HashBytes = (data: Uint8Array | string) => Uint8Array | Promise<Uint8Array>;

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);
/** Bytes of a SHA-256 hash. */
const HASH_BYTES = 32;
/** Hashes a proof may hold: one per level of a tree of 2^64 leaves, twice for consistency. */
export const PROOF_HASHES_MAX = 128;

/**
 * The hash of a leaf (RFC 6962 section 2.1): the entry's bytes behind a zero byte.
 *
 * @example
 * toHex(await leafHash(new Uint8Array())).slice(0, 8); //=> "6e340b9c"
 */
export async function leafHash(entry: Uint8Array, hash: HashBytes = sha256): Promise<Uint8Array> {
  return hash(concatBytes(LEAF, entry));
}

/** The hash of a node over its two halves. */
export async function nodeHash(
  left: Uint8Array,
  right: Uint8Array,
  hash: HashBytes,
): Promise<Uint8Array> {
  return hash(concatBytes(NODE, left, right));
}

/** What must be kept to go on appending: the roots of the complete subtrees, largest first. */
export interface Frontier {
  readonly size: number;
  readonly hashes: readonly Uint8Array[];
}

export const EMPTY_FRONTIER: Frontier = Object.freeze({ size: 0, hashes: Object.freeze([]) });

/** A frontier, and the subtrees that its last leaf closed, smallest first. */
export interface Grown extends Frontier {
  readonly closed: readonly Uint8Array[];
}

/**
 * The frontier after one more leaf: it closes as many subtrees as the old size has trailing ones
 * in binary. Kept beside the leaf, they are all that proofs are made of.
 *
 * @example
 * const one = await appendLeaf(EMPTY_FRONTIER, await leafHash(utf8("a")));
 * const two = await appendLeaf(one, await leafHash(utf8("b")));
 * [two.hashes.length, two.closed.length]; //=> [1, 1]
 */
export async function appendLeaf(
  frontier: Frontier,
  leaf: Uint8Array,
  hash: HashBytes = sha256,
): Promise<Grown> {
  const hashes = [...frontier.hashes];
  const closed: Uint8Array[] = [];
  let joined = leaf;
  for (let rest = frontier.size; rest % 2 === 1; rest = Math.floor(rest / 2)) {
    joined = await nodeHash(hashes.pop() as Uint8Array, joined, hash);
    closed.push(joined);
  }
  return { size: frontier.size + 1, hashes: [...hashes, joined], closed };
}

/**
 * The root of the whole tree; of an empty one, the hash of nothing.
 *
 * @example
 * toHex(await treeRoot(EMPTY_FRONTIER)).slice(0, 8); //=> "e3b0c442"
 */
export async function treeRoot(
  { hashes }: Frontier,
  hash: HashBytes = sha256,
): Promise<Uint8Array> {
  let root = hashes.at(-1);
  if (root === undefined) return hash(new Uint8Array());
  for (const left of hashes.slice(0, -1).reverse()) root = await nodeHash(left, root, hash);
  return root;
}

/**
 * Whether a frontier can be one: as many subtrees as its size has ones in binary.
 *
 * @example
 * isFrontier({ size: 3, hashes: [new Uint8Array(32), new Uint8Array(32)] }); //=> true
 * isFrontier({ size: 4, hashes: [] }); //=> false
 */
export function isFrontier({ size, hashes }: Frontier): boolean {
  if (!Number.isSafeInteger(size) || size < 0) return false;
  const ones = BigInt(size).toString(2).replaceAll("0", "").length;
  return hashes.length === ones && hashes.every(({ length }) => length === HASH_BYTES);
}

/** Why a proof was not accepted. */
export type ProofFault = "malformed" | "root_mismatch";

const same = (a: Uint8Array, b: Uint8Array) =>
  a.length === b.length && a.every((byte, i) => byte === b[i]);

function checkForm(
  proof: readonly Uint8Array[],
  ...ends: readonly Uint8Array[]
): Result<true, "malformed"> {
  if (proof.length > PROOF_HASHES_MAX) return refuse("malformed", "the proof is too long");
  const whole = [...proof, ...ends].every(({ length }) => length === HASH_BYTES);
  return whole ? ok(true) : refuse("malformed", `a hash does not have ${HASH_BYTES} bytes`);
}

const odd = (n: bigint) => (n & 1n) === 1n;

/** A leaf's place in a tree, and the hashes beside its way to the root, from the leaf up. */
export interface InclusionProof {
  readonly index: bigint;
  readonly size: bigint;
  readonly hashes: readonly Uint8Array[];
}

/**
 * Checks that a leaf is in the tree of a root (RFC 9162 section 2.1.3.2).
 *
 * @example
 * const leaf = await leafHash(utf8("a"));
 * (await verifyInclusion({ index: 0n, size: 1n, hashes: [] }, leaf, leaf)).ok; //=> true
 */
export async function verifyInclusion(
  { index, size, hashes }: InclusionProof,
  leaf: Uint8Array,
  root: Uint8Array,
  hash: HashBytes = sha256,
): Promise<Result<true, ProofFault>> {
  const form = checkForm(hashes, leaf, root);
  if (!form.ok) return form;
  if (index < 0n || index >= size) return refuse("malformed", "the leaf is not inside the tree");
  let place = index;
  let last = size - 1n;
  let joined = leaf;
  for (const beside of hashes) {
    if (last === 0n) return refuse("malformed", "the proof has too many hashes");
    if (odd(place) || place === last) {
      joined = await nodeHash(beside, joined, hash);
      while (!odd(place) && place !== 0n) [place, last] = [place >> 1n, last >> 1n];
    } else {
      joined = await nodeHash(joined, beside, hash);
    }
    [place, last] = [place >> 1n, last >> 1n];
  }
  if (last !== 0n) return refuse("malformed", "the proof has too few hashes");
  return same(joined, root) ? ok(true) : refuse("root_mismatch", "it leads to a different root");
}

/** Two sizes of one tree, and the hashes that join their roots. */
export interface ConsistencyProof {
  readonly size1: bigint;
  readonly size2: bigint;
  readonly hashes: readonly Uint8Array[];
}

/**
 * Checks that a tree only grew between two roots (RFC 9162 section 2.1.4.2). There is nothing to
 * prove from an empty tree, so a proof that claims to is refused.
 *
 * @example
 * const root = await leafHash(utf8("a"));
 * (await verifyConsistency({ size1: 1n, size2: 1n, hashes: [] }, root, root)).ok; //=> true
 */
export async function verifyConsistency(
  { size1, size2, hashes }: ConsistencyProof,
  root1: Uint8Array,
  root2: Uint8Array,
  hash: HashBytes = sha256,
): Promise<Result<true, ProofFault>> {
  const form = checkForm(hashes);
  if (!form.ok) return form;
  if (size1 < 1n || size1 > size2) return refuse("malformed", "the tree did not grow");
  if (size1 === size2) {
    if (hashes.length > 0) return refuse("malformed", "equal sizes need no proof");
    return same(root1, root2) ? ok(true) : refuse("root_mismatch", "one size has two roots");
  }
  // A complete first tree is a node of the second: its root stands for itself.
  const complete = (size1 & (size1 - 1n)) === 0n;
  const [first, ...rest] = complete ? [root1, ...hashes] : hashes;
  if (first === undefined || hashes.length === 0) return refuse("malformed", "the proof is empty");
  return climb({ size1, size2, hashes: rest }, first, [root1, root2], hash);
}

async function climb(
  { size1, size2, hashes }: ConsistencyProof,
  first: Uint8Array,
  [root1, root2]: readonly [Uint8Array, Uint8Array],
  hash: HashBytes,
): Promise<Result<true, ProofFault>> {
  let place = size1 - 1n;
  let last = size2 - 1n;
  while (odd(place)) [place, last] = [place >> 1n, last >> 1n];
  let old = first;
  let now = first;
  for (const beside of hashes) {
    if (last === 0n) return refuse("malformed", "the proof has too many hashes");
    if (odd(place) || place === last) {
      old = await nodeHash(beside, old, hash);
      now = await nodeHash(beside, now, hash);
      while (!odd(place) && place !== 0n) [place, last] = [place >> 1n, last >> 1n];
    } else {
      now = await nodeHash(now, beside, hash);
    }
    [place, last] = [place >> 1n, last >> 1n];
  }
  if (last !== 0n) return refuse("malformed", "the proof has too few hashes");
  return same(old, root1) && same(now, root2)
    ? ok(true)
    : refuse("root_mismatch", "it leads to different roots");
}
