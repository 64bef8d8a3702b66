import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { BodyBuffer } from "../src/http/server/body.ts";
import { wholeUpload } from "../src/http/server/streaming.ts";
import { ManualClock } from "../src/infra/clock.ts";

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

test("a fault of the service during an upload is not blamed on its sender", async () => {
  const clock = new ManualClock(0);
  const fault = new Error("the database does not answer");
  const tools = { bytesMax: 10, clock, check: () => Promise.reject(fault) };
  const body = (pull: (sending: ReadableStreamDefaultController<Uint8Array>) => void) =>
    new Request("https://gate.example.com", {
      method: "POST",
      body: new ReadableStream({ pull }),
      duplex: "half",
    } as RequestInit);
  const late = body((sending) => {
    clock.advance(1000);
    sending.enqueue(Buffer.alloc(1));
  });
  await expect(wholeUpload(late, tools)).rejects.toBe(fault);
  const cut = body((sending) => sending.error(new Error("ECONNRESET")));
  await expect(wholeUpload(cut, tools)).rejects.toMatchObject({ code: "invalid_request" });
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
