import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { BodyBuffer } from "../src/http/server/body.ts";

test("chunks are joined in order, up to the limit and not beyond", () => {
  const bytes = new BodyBuffer(10_000);
  const pieces = Array.from({ length: 100 }, (_, i) => Buffer.alloc(i, i));
  for (const piece of pieces) expect(bytes.add(piece)).toBe(true);
  const whole = Buffer.concat(pieces);
  expect(Buffer.from(bytes.whole()).equals(whole)).toBe(true);
  expect(bytes.add(Buffer.alloc(10_000 - whole.length))).toBe(true);
  expect(bytes.add(Buffer.alloc(1))).toBe(false);
  expect(bytes.whole().length).toBe(10_000);
  expect(new BodyBuffer(1).whole().length).toBe(0);
});

/** A body of one-byte pieces, kept piece by piece, would take hundreds of times its own room. */
test("a chunk is released once it was added", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const bytes = new BodyBuffer(10_000);
  // The first is held until a second comes: most bodies are one piece.
  bytes.add(Buffer.alloc(1));
  const pieces = Array.from({ length: 1000 }, () => {
    const piece = Buffer.alloc(1);
    bytes.add(piece);
    return new WeakRef(piece);
  });
  // A WeakRef keeps its target until the turn it was made in is over.
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  expect(pieces.filter((piece) => piece.deref() !== undefined)).toEqual([]);
  expect(bytes.whole().length).toBe(1001);
});
