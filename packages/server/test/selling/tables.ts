import { seeded } from "./faulty-processor.ts";

/** A table as a test writes it. */
export interface WrittenTable {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly delimiter: string;
  /** The rows as they are written, the header line first. */
  readonly lines: readonly string[];
  readonly lineBreak: string;
  readonly random: () => number;
}

const WORDS = ["", "a", "rose", " b ", "Größe", "12,50 €", "🌹", "x=1", "'q'", "back\\slash", "\0"];
const QUOTED = ['say "hi"', '""', '"', "a,b;c\td", '5"', ","];

/** What a table can have besides plain words. */
export interface TableOptions {
  /** Whether quoted fields have line breaks. */
  readonly breaks: boolean;
  /** Fields that are quoted because of what they have. */
  readonly quoted?: readonly string[];
}

/** An ordinary table, as spreadsheets and shops write it. */
export function writtenTable(
  seed: number,
  { breaks, quoted = QUOTED }: TableOptions,
): WrittenTable {
  const random = seeded(seed);
  const below = (count: number) => Math.floor(random() * count);
  const pick = <T>(from: readonly T[]) => from[below(from.length)] as T;
  const delimiter = pick([",", ";", "\t"]);
  const lineBreak = pick(["\n", "\r\n", "\r"]);
  const columns = 2 + below(7);
  const names = Array.from({ length: columns }, (_, place) => `c${place}`);
  const broken = [`two${lineBreak}lines`, lineBreak, `"a"${lineBreak}${lineBreak}b`, "x\ny"];
  const cell = () => {
    const kind = random();
    if (kind < 0.15) return pick(quoted);
    return breaks && kind < 0.25 ? pick(broken) : pick(WORDS) + pick(WORDS);
  };
  const write = (text: string) =>
    /["\r\n]/.test(text) || text.includes(delimiter) || random() < 0.1
      ? `"${text.replaceAll('"', '""')}"`
      : text;
  // The first cell keeps a row from being blank.
  const rows = Array.from({ length: 1 + below(12) }, (_, n) =>
    names.map((_name, place) => (place === 0 ? `row ${n}` : cell())),
  );
  const lines = [names, ...rows].map((row) => row.map(write).join(delimiter));
  return { names, rows, delimiter, lines, lineBreak, random };
}

/** A text in pieces of all sizes, some of which end inside a character. */
export async function* inPieces(text: string, random: () => number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  const most = random() < 0.3 && bytes.length < 1000 ? 3 : 1 + bytes.length / 4;
  for (let at = 0; at < bytes.length; ) {
    const end = at + Math.floor(random() * most);
    yield bytes.subarray(at, end);
    at = end;
  }
}
