import { expect, test } from "vitest";
import { shareOf } from "./share.ts";

const FILES = Array.from({ length: 23 }, (_, i) => `packages/none/test/file-${i}.test.ts`);

test("the shares of the release tier contain every file once, and are about as large", () => {
  const shares = [1, 2, 3, 4].map((number) => shareOf(FILES, `${number}/4`));
  expect(shares.flat().sort()).toEqual(FILES.toSorted());
  for (const { length } of shares) expect([5, 6]).toContain(length);
});

test("a run without a share takes every file, and a share that does not exist is an error", () => {
  expect(shareOf(FILES, undefined)).toEqual(FILES);
  for (const wrong of ["5/4", "0/4", "all"])
    expect(() => shareOf(FILES, wrong)).toThrow(/RELEASE_SHARE/);
});
