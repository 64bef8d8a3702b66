import { sha256 } from "../bytes.js";
import { type HashBytes, nodeHash } from "./tree.js";

/** Reads the root of a complete subtree: level 0 are leaves, and `index` counts along its level. */
export type NodeAt = (level: number, index: number) => Uint8Array | Promise<Uint8Array>;

/** The largest power of two below a size of at least 2: where RFC 6962 divides a tree. */
function division(size: number): number {
  let half = 1;
  while (half * 2 < size) half *= 2;
  return half;
}

/** The root over leaves `from` to `to`, put together from complete subtrees. */
async function rangeRoot(
  from: number,
  to: number,
  nodeAt: NodeAt,
  hash: HashBytes,
): Promise<Uint8Array> {
  const size = to - from;
  const level = Math.log2(size);
  if (Number.isInteger(level) && from % size === 0) return nodeAt(level, from / size);
  const middle = from + division(size);
  const left = await rangeRoot(from, middle, nodeAt, hash);
  return nodeHash(left, await rangeRoot(middle, to, nodeAt, hash), hash);
}

/**
 * The hashes that prove a leaf to be in a tree of a size (RFC 6962 section 2.1.1), from the leaf up.
 *
 * @example
 * const leaves = [await leafHash(utf8("a")), await leafHash(utf8("b"))];
 * (await inclusionHashes(0, 2, (_level, index) => leaves[index])).length; //=> 1
 */
export async function inclusionHashes(
  index: number,
  size: number,
  nodeAt: NodeAt,
  hash: HashBytes = sha256,
): Promise<readonly Uint8Array[]> {
  if (!(index >= 0 && index < size)) throw new RangeError("inclusionHashes: no such leaf");
  const hashes: Uint8Array[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + division(to - from);
    if (index < middle) {
      hashes.unshift(await rangeRoot(middle, to, nodeAt, hash));
      to = middle;
    } else {
      hashes.unshift(await rangeRoot(from, middle, nodeAt, hash));
      from = middle;
    }
  }
  return hashes;
}

/**
 * The hashes that prove a tree of one size to have grown into another (RFC 6962 section 2.1.2).
 *
 * @example
 * const leaves = [await leafHash(utf8("a")), await leafHash(utf8("b"))];
 * (await consistencyHashes(1, 2, (_level, index) => leaves[index])).length; //=> 1
 */
export async function consistencyHashes(
  size1: number,
  size2: number,
  nodeAt: NodeAt,
  hash: HashBytes = sha256,
): Promise<readonly Uint8Array[]> {
  if (!(size1 >= 1 && size1 <= size2)) throw new RangeError("consistencyHashes: it did not grow");
  const hashes: Uint8Array[] = [];
  let [from, to] = [0, size2];
  // Down to the subtree that ends where the first tree ended.
  while (to !== size1) {
    const middle = from + division(to - from);
    if (size1 <= middle) {
      hashes.unshift(await rangeRoot(middle, to, nodeAt, hash));
      to = middle;
    } else {
      hashes.unshift(await rangeRoot(from, middle, nodeAt, hash));
      from = middle;
    }
  }
  // A first tree that is complete stands for itself; the verifier has its root.
  return from === 0 ? hashes : [await rangeRoot(from, to, nodeAt, hash), ...hashes];
}
