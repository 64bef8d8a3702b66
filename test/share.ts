import { durations } from "./slowest-first.ts";

/** Seconds that a file is expected to take if it has not been measured. */
const UNKNOWN_S = 5;

/**
 * One of several shares of some files: `2/4` is the second of four. All shares take about as long, every file
 * is in one of them, and the same files are divided in the same way. Without a share, all files.
 */
export function shareOf(files: readonly string[], share: string | undefined): string[] {
  if (share === undefined || share === "") return [...files];
  const [, number = "", count = ""] = /^([1-9]\d?)\/([1-9]\d?)$/.exec(share) ?? [];
  if (number === "" || Number(number) > Number(count)) {
    throw new Error(`RELEASE_SHARE is "${share}". Use a share such as 2/4.`);
  }
  const known = durations();
  const secondsOf = (file: string) => known[file] ?? UNKNOWN_S;
  const shares = Array.from({ length: Number(count) }, () => ({
    seconds: 0,
    files: [] as string[],
  }));
  const slowestFirst = files.toSorted((a, b) => secondsOf(b) - secondsOf(a) || (a < b ? -1 : 1));
  for (const file of slowestFirst) {
    const shortest = shares.reduce((a, b) => (b.seconds < a.seconds ? b : a));
    shortest.files.push(file);
    shortest.seconds += secondsOf(file);
  }
  return shares[Number(number) - 1]?.files ?? [];
}
