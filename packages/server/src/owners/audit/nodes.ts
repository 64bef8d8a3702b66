import { type Frontier, fromHex, type NodeAt } from "@gatehouse/protocol";
import type { Queries } from "../../platform/db/database.js";
import { leafAt, recordedAt } from "./store.js";

/** Reads the tree's nodes from where its leaves left them: in the row of each one's last leaf. */
export function nodesOf(db: Queries, chain: string): NodeAt {
  return async (level, index) => {
    const { hash, closed } = await leafAt(db, chain, (index + 1) * 2 ** level - 1);
    const node = level === 0 ? hash : closed[level - 1];
    if (node === undefined) throw new Error(`the tree of ${chain} lacks a node`);
    return fromHex(node) as Uint8Array;
  };
}

/** The tree as it was at an earlier size: one node for each one in the size's binary digits. */
export async function frontierAt(db: Queries, chain: string, size: number): Promise<Frontier> {
  const nodeAt = nodesOf(db, chain);
  const hashes: Uint8Array[] = [];
  let begun = 0;
  for (let level = Math.floor(Math.log2(Math.max(size, 1))); level >= 0; level--) {
    const width = 2 ** level;
    if (size - begun < width) continue;
    hashes.push(await nodeAt(level, begun / width));
    begun += width;
  }
  return { size, hashes };
}

/**
 * How many records of a log were written before a moment. Their times never go back, so halving
 * finds it in a few reads and no index has to be kept up.
 */
export async function sizeBefore(
  db: Queries,
  chain: string,
  size: number,
  moment: number,
): Promise<number> {
  let [from, to] = [0, size];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if ((await recordedAt(db, chain, middle)) < moment) from = middle + 1;
    else to = middle;
  }
  return from;
}
