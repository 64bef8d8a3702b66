export interface DiffLine {
  readonly change: "same" | "added" | "removed";
  readonly text: string;
}

/** Longer documents are shown as completely removed and added. */
const LINES_MAX = 2000;

/** The length of the longest common part from each pair of positions. */
function lengths(before: readonly string[], after: readonly string[]): Uint16Array[] {
  const table = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i--) {
    const row = table[i] as Uint16Array;
    const below = table[i + 1] as Uint16Array;
    for (let j = after.length - 1; j >= 0; j--) {
      row[j] =
        before[i] === after[j] ? (below[j + 1] ?? 0) + 1 : Math.max(below[j] ?? 0, row[j + 1] ?? 0);
    }
  }
  return table;
}

/** The changes between two texts, line by line. */
export function lineDiff(before: string, after: string): readonly DiffLine[] {
  const [old, now] = [before.split("\n"), after.split("\n")];
  const line = (change: DiffLine["change"]) => (text: string) => ({ change, text });
  if (old.length > LINES_MAX || now.length > LINES_MAX) {
    return [...old.map(line("removed")), ...now.map(line("added"))];
  }
  const table = lengths(old, now);
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [a, b] = [old[i], now[j]];
    if (a !== undefined && a === b) {
      lines.push({ change: "same", text: a });
      [i, j] = [i + 1, j + 1];
    } else if (
      b === undefined ||
      (a !== undefined && (table[i + 1]?.[j] ?? 0) >= (table[i]?.[j + 1] ?? 0))
    ) {
      lines.push({ change: "removed", text: a ?? "" });
      i++;
    } else {
      lines.push({ change: "added", text: b });
      j++;
    }
  }
  return lines;
}
