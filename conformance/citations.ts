/** Tests cite the promises they prove at the start of their name: "[4.1.5-a 7-a] a wrong …". */
const CITED = /^\[([^\]]+)\] /;

/** Most promises one test may stand for; more would hide which of them broke. */
export const CITATIONS_MAX = 3;

export function citedIds(testName: string): readonly string[] {
  return CITED.exec(testName)?.[1]?.split(" ") ?? [];
}
