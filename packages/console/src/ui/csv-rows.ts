import { formatAmount } from "@gatehouse/protocol";
import { titleOf } from "./words.js";

export type Row = Readonly<Record<string, unknown>>;

interface Reading {
  /** The time zone of all times. */
  readonly zone: string;
  /** Absent: all columns. */
  readonly columns?: readonly string[] | undefined;
  /** Names and values stay as the API has them. */
  readonly raw?: boolean | undefined;
}

const ISO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** A time that spreadsheets understand: `2026-11-19 14:03:05`. */
const localTime = (iso: string, timeZone: string) =>
  new Date(iso).toLocaleString("sv-SE", { timeZone });

const isObject = (value: unknown): value is Row => typeof value === "object" && value !== null;

/** Something inside an item, in words: `2 × A rose` for a line of an order. */
function partText(part: unknown): string {
  if (!isObject(part)) return part === null || part === undefined ? "" : String(part);
  if (Array.isArray(part)) return part.map(partText).join(", ");
  const { quantity, title } = part;
  if (quantity !== undefined && title !== undefined) return `${quantity} × ${title}`;
  return Object.entries(part)
    .map(([name, value]) => [titleOf(name), partText(value)] as const)
    .filter(([, text]) => text !== "")
    .map(([name, text]) => `${name}: ${text}`)
    .join("; ");
}

/** The cells of one value, by their titles. Money becomes an amount and a currency. */
function cellsOf(name: string, value: unknown, { zone, raw }: Reading): [string, string][] {
  const title = raw ? name : titleOf(name);
  if (isObject(value)) {
    const { minor, currency } = value;
    if (typeof minor === "number" && typeof currency === "string") {
      const isOnly = name === "amount" || name === "price";
      const code = isOnly ? "currency" : `${name}_currency`;
      return [
        [title, formatAmount({ minor, currency })],
        [raw ? code : titleOf(code), currency],
      ];
    }
    return [[title, partText(value)]];
  }
  if (typeof value === "string" && ISO_TIME.test(value) && !raw) {
    return [[`${title} (${zone})`, localTime(value, zone)]];
  }
  if (typeof value === "boolean" && !raw) return [[title, value ? "Yes" : "No"]];
  return [[title, partText(value)]];
}

/** Rows for a spreadsheet, the first of which has the titles. */
export function readableRows(
  rows: readonly Row[],
  reading: Reading,
): readonly (readonly string[])[] {
  const { columns } = reading;
  const read = rows.map((row) => {
    const names = (columns ?? Object.keys(row)).filter((name) => Object.hasOwn(row, name));
    return new Map(names.flatMap((name) => cellsOf(name, row[name], reading)));
  });
  // A time that some rows do not have would otherwise be two columns, with and without its zone.
  const titles = new Set(read.flatMap((row) => [...row.keys()]));
  const ownTitles = [...titles].filter((title) => !titles.has(`${title} (${reading.zone})`));
  // A file that is read again has all its columns, whatever the rows have.
  const heads = reading.raw && columns !== undefined ? columns : ownTitles;
  return [heads, ...read.map((row) => heads.map((head) => row.get(head) ?? ""))];
}
