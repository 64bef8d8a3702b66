import { readdirSync } from "node:fs";
import { join } from "node:path";
import { checkpointText } from "@gatehouse/protocol";
import { expect, test } from "vitest";
import { KeptCheckpoints } from "../../src/domain/audit/kept-checkpoints.ts";
import { temporaryFolder } from "../harness.ts";

const checkpoint = (origin: string, size: number) => {
  const value = { origin, size, root: new Uint8Array(32).fill(size) };
  return { value, note: `${checkpointText(value)}\n— signature\n` };
};

test("workers keep checkpoints in separate files, and the largest of each log counts", async () => {
  const folder = temporaryFolder();
  const keep = async (worker: number, origin: string, size: number) => {
    const { value, note } = checkpoint(origin, size);
    await new KeptCheckpoints(folder, worker).keep(value, note);
  };
  await keep(1, "a.example/audit/1", 100);
  // It had not heard of the larger one, and must not replace it.
  await keep(2, "a.example/audit/1", 90);
  await keep(2, "b.example/audit/1", 7);
  expect(readdirSync(join(folder, "checkpoints")).sort()).toEqual([
    "a.example_audit_1.txt",
    "a.example_audit_1.worker-2.txt",
    "b.example_audit_1.worker-2.txt",
  ]);
  const read = new KeptCheckpoints(folder).read();
  expect(read.map(({ origin, size }) => [origin, size])).toEqual([
    ["a.example/audit/1", 100],
    ["b.example/audit/1", 7],
  ]);
});
