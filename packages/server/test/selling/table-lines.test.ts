import { parse } from "csv-parse/sync";
import { describe, expect, test } from "vitest";
import { type ProductLine, tableLines } from "../../src/domain/products/product-lines.ts";
import { inPieces, writtenTable } from "./tables.ts";

const TABLES = 400;
const LIMIT = 64 * 1024;
const PIECE = Buffer.alloc(LIMIT, "x");

const form = (relaxQuotes: boolean) => {
  return { readNames: (names: readonly string[]) => [...names], relaxQuotes, emptiesFields: true };
};

async function* bytesOf(...pieces: readonly (string | Uint8Array)[]) {
  for (const piece of pieces) yield Buffer.from(piece);
}

async function readAll(bytes: AsyncIterable<Uint8Array>, relaxQuotes = true) {
  const lines: ProductLine[] = [];
  for await (const line of tableLines(bytes, form(relaxQuotes))) lines.push(line);
  return lines;
}

/** The values of a text, and the line and the problem of each row that cannot be read. */
async function read(text: string, relaxQuotes = true) {
  return (await readAll(bytesOf(text), relaxQuotes)).map((one) =>
    one.kind === "value" ? one.value : [one.line, one.id, one.problem],
  );
}

const feeds = (text: string) => text.replaceAll(/\r\n?/g, "\n");
const QUOTE = "has a quote in the wrong place";
const ENDLESS = "has a quote that is never closed";
const COUNT = "has a different number of fields than the header line";
const LONG = "has more than 65536 characters";

describe("a table of products", () => {
  test("has the same rows as another parser reads, however it is written and sent", async () => {
    for (let seed = 1; seed <= TABLES; seed++) {
      const { names, rows, delimiter, lines, lineBreak, random } = writtenTable(seed, {
        breaks: true,
      });
      const spaced = lines.flatMap((line) => (random() < 0.1 ? ["", line] : [line]));
      const end = random() < 0.5 ? lineBreak : "";
      const text = (random() < 0.3 ? "\ufeff" : "") + spaced.join(lineBreak) + end;
      const relax_quotes = random() < 0.5;
      const options = { bom: true, skip_empty_lines: true, relax_quotes, delimiter };
      const expected = parse(text, options) as string[][];
      expect([seed, expected]).toEqual([seed, [names, ...rows]]);
      const result = await readAll(inPieces(text, random), relax_quotes);
      const cells = result.map((one) =>
        one.kind === "value" ? Object.values(one.value as object).map(feeds) : one,
      );
      expect([seed, cells]).toEqual([seed, rows.map((row) => row.map(feeds))]);
    }
  });

  test("with one bad line has all its other rows, wherever that line is", async () => {
    const faults = [
      (line: string, mark: string) => line + mark + "x".repeat(LIMIT),
      (line: string, mark: string) => `${line}${mark}${mark}`,
      (line: string, mark: string) => `${line}${mark}"never ends`,
      (_line: string, mark: string) => `row${mark}"never${mark}ends`,
      (_line: string, mark: string) => mark.repeat(20_000),
      () => "alone",
    ];
    for (let seed = 1; seed <= TABLES; seed++) {
      const quoted = ['say "hi"', "a,b;c\td"];
      const { rows, delimiter, lines, lineBreak, random } = writtenTable(seed, {
        breaks: false,
        quoted,
      });
      const place = 1 + Math.floor(random() * rows.length);
      const fault = faults[seed % faults.length] as (typeof faults)[number];
      const broken = lines.with(place, fault(lines[place] as string, delimiter));
      const text = broken.join(lineBreak) + lineBreak;
      const result = await readAll(inPieces(text, random), random() < 0.5);
      const values = result.filter((one) => one.kind === "value");
      const problems = result.flatMap((one) => (one.kind === "problem" ? one.line : []));
      const others = rows.filter((_row, n) => n !== place - 1);
      expect([seed, values.map(({ value }) => Object.values(value as object))]).toEqual([
        seed,
        others,
      ]);
      // A line of nothing but delimiters is blank, unless it is too long to know.
      const isBlank = fault === faults[4];
      expect([seed, problems]).toEqual([seed, isBlank ? [] : [place + 1]]);
    }
  });

  test("has quotes that end on another line only where both belong to one field", async () => {
    const rows = 'id\ttitle\nb\tPot 5"\nc\t"C"\n';
    expect(await read(`${rows}d\t"Two\nlines"\ne\tE`)).toEqual([
      { id: "b", title: 'Pot 5"' },
      { id: "c", title: "C" },
      { id: "d", title: "Two\nlines" },
      { id: "e", title: "E" },
    ]);
    // Another parser takes the quote of the row after for the end.
    expect(await read('id\ttitle\na\t"A\nb\tPot 5"\n')).toEqual([
      [2, "a", ENDLESS],
      { id: "b", title: 'Pot 5"' },
    ]);
    expect(await read('id,title\na,"A\nb,"B"\n')).toEqual([
      [2, "a", QUOTE],
      { id: "b", title: "B" },
    ]);
    expect(await read('id,title\na,"A\nb",B\n')).toEqual([
      [2, "a", COUNT],
      { id: 'b"', title: "B" },
    ]);
    expect(await read('id,title\na,"Best" a\nb,B" "\n')).toEqual([
      { id: "a", title: '"Best" a' },
      { id: "b", title: 'B" "' },
    ]);
    expect(await read('id,title\na,"Best" a\nb,B"\nc,C', false)).toEqual([
      [2, "a", QUOTE],
      [3, "b", QUOTE],
      { id: "c", title: "C" },
    ]);
    const field = (breaks: number) => `id,title\na,"${"\n".repeat(breaks)}"\n`;
    expect(await read(field(999))).toMatchObject([{ id: "a" }]);
    expect(await read(field(1000))).toEqual([
      [2, "a", ENDLESS],
      [1002, null, ENDLESS],
    ]);
    const lines = 30_000;
    const open = await read(`id,title\na,"A\n${"b,B\n".repeat(lines)}`);
    expect([open.length, open[0]]).toEqual([lines + 1, [2, "a", ENDLESS]]);
  });

  test("shows the id of a row that cannot be read, unless it may be two rows", async () => {
    const header = "title,id,price\n";
    expect(await read(`${header}A,a\nB,b,1,2\nC,c,1D,d,1\nE\n${"F".repeat(LIMIT)},f\n`)).toEqual([
      [2, "a", COUNT],
      [3, "b", COUNT],
      [4, null, COUNT],
      [5, null, COUNT],
      [6, null, LONG],
    ]);
    // The fields of the lines that a quote took are those of other rows.
    expect(await read(`${header}"A\nB",b,1,2\n`)).toEqual([
      [2, null, COUNT],
      [3, "b", COUNT],
    ]);
  });

  test("is not read for long if its header line or a row has no end", async () => {
    const size = 2000;
    let pieces = 0;
    async function* endless(...first: readonly string[]) {
      yield* bytesOf(...first);
      for (pieces = 0; pieces < size; pieces++) yield PIECE;
    }
    await expect(readAll(endless())).rejects.toThrow(`The header line ${LONG}.`);
    expect(pieces).toBeLessThan(4);
    const reader = tableLines(endless("id\tt\na\tA\nb\t"), form(true));
    expect((await reader.next()).value).toMatchObject({ value: { id: "a" } });
    expect((await reader.next()).value).toMatchObject({ line: 3, id: "b", problem: LONG });
    expect(pieces).toBeLessThan(4);
    expect(await reader.next()).toEqual({ done: true, value: undefined });
    expect(pieces).toBe(size);
    await expect(readAll(bytesOf('"id\tt\na\tA'))).rejects.toThrow(`The header line ${ENDLESS}.`);
    expect(await readAll(bytesOf(""))).toEqual([]);
    expect(await readAll(bytesOf("\n\r\n\n"))).toEqual([]);
  });

  test("passes on each bad line at once, and lets other work run meanwhile", async () => {
    let pieces = 0;
    async function* short() {
      yield* bytesOf("id\ttitle\n");
      for (pieces = 0; pieces < 1000; pieces++) yield Buffer.from("x\n".repeat(500));
    }
    let problems = 0;
    for await (const { kind } of tableLines(short(), form(true))) {
      if (kind === "problem" && ++problems === 1000) break;
    }
    expect(pieces).toBeLessThan(4);

    let turns = 0;
    const count = () => {
      turns++;
      timer = setImmediate(count);
    };
    let timer = setImmediate(count);
    const blank = Buffer.from("\n".repeat(10 * LIMIT));
    expect(await readAll(bytesOf("id\tt\n", blank))).toEqual([]);
    clearImmediate(timer);
    expect(turns).toBeGreaterThanOrEqual(10);
  });
});
