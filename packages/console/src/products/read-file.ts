import Papa from "papaparse";

/** The fields of a product, in the order of the form. */
export const FIELDS = [
  ...(["id", "title", "price", "currency", "quantity"] as const),
  ...(["description", "image_url", "url", "availability"] as const),
] as const;
export type Field = (typeof FIELDS)[number];

/** The names of each field in shop systems and spreadsheets, in lower case and letters only. */
const NAMES: Readonly<Record<Field, readonly string[]>> = {
  id: [
    "id",
    "sku",
    "productid",
    "variantsku",
    "articlenumber",
    "artikelnummer",
    "article",
    "handle",
  ],
  title: ["title", "name", "productname", "product", "titel", "bezeichnung", "artikel"],
  price: [
    "price",
    "regularprice",
    "variantprice",
    "unitprice",
    "preis",
    "amount",
    "prix",
    "precio",
  ],
  currency: ["currency", "currencycode", "wahrung", "waehrung", "devise", "moneda"],
  quantity: [
    "quantity",
    "stock",
    "qty",
    "inventory",
    "stockquantity",
    "variantinventoryqty",
    "bestand",
    "lager",
    "lagerbestand",
  ],
  description: ["description", "bodyhtml", "shortdescription", "beschreibung", "text"],
  image_url: ["imageurl", "image", "imagelink", "imagesrc", "images", "bild", "picture"],
  url: ["url", "link", "producturl", "permalink", "adresse"],
  availability: ["availability", "stockstatus", "verfugbarkeit"],
};

/** A file: the names of its columns, and its rows. */
export interface ReadFile {
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, string>>[];
}

export type Mapping = Readonly<Partial<Record<Field, string>>>;
export type Line = Readonly<Record<string, string | number>>;

const folded = (text: string) =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z]/g, "");

/** Reads a table with commas, semicolons or tabs. */
export async function readTable(file: Blob): Promise<ReadFile> {
  const text = await textOf(file);
  const { data, meta } = Papa.parse<Record<string, string>>(text, {
    header: true,
    skipEmptyLines: "greedy",
    transformHeader: (name) => name.trim(),
    transform: (value) => value.trim(),
  });
  const columns = (meta.fields ?? []).filter((name) => name !== "");
  if (columns.length === 0)
    throw new Error("The file has no columns. The first line must contain their names.");
  return { columns, rows: data };
}

/** Excel on Windows saves in an older encoding, which is used for files that are not UTF-8. */
async function textOf(file: Blob): Promise<string> {
  const bytes = await file.arrayBuffer();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** Guesses the column of each field by its name. */
export function guessMapping(columns: readonly string[]): Mapping {
  const mapping: Partial<Record<Field, string>> = {};
  const left = new Set(columns);
  for (const field of FIELDS) {
    for (const name of NAMES[field]) {
      const column = [...left].find((one) => folded(one) === name);
      if (column === undefined) continue;
      mapping[field] = column;
      left.delete(column);
      break;
    }
  }
  return mapping;
}

const SIGNS: Readonly<Record<string, string>> = { "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR" };

/**
 * A price as people write it, with a point: `1.234,50 €` becomes 1234.50 EUR. A single comma or point with
 * three digits behind it separates thousands.
 */
export function readPrice(text: string): { readonly price: string; readonly currency?: string } {
  const sign = Object.keys(SIGNS).find((one) => text.includes(one));
  const code = /\b[A-Z]{3}\b/.exec(text.toUpperCase())?.[0];
  const digits = text.replace(/[^\d.,-]/g, "");
  const last = Math.max(digits.lastIndexOf(","), digits.lastIndexOf("."));
  const behind = last === -1 ? "" : digits.slice(last + 1);
  const mark = digits[last];
  const isThousands =
    behind.length === 3 && digits.split(mark ?? "").length === 2 && !/^0[.,]/.test(digits);
  const whole = (last === -1 || isThousands ? digits : digits.slice(0, last)).replace(/[.,]/g, "");
  const price = last === -1 || isThousands || behind === "" ? whole : `${whole}.${behind}`;
  const currency = code ?? (sign === undefined ? undefined : SIGNS[sign]);
  return { price, ...(currency === undefined ? {} : { currency }) };
}

/** The lines in the format of the API. */
export function linesOf({ rows }: ReadFile, mapping: Mapping, currency: string): readonly Line[] {
  return rows.map((row) => {
    const value = (field: Field) => {
      const column = mapping[field];
      return column === undefined ? "" : (row[column] ?? "");
    };
    const read = readPrice(value("price"));
    const line: Record<string, string | number> = {
      id: value("id"),
      title: value("title"),
      price: read.price,
      currency: value("currency") || (read.currency ?? currency),
    };
    for (const field of ["description", "image_url", "url", "availability", "quantity"] as const) {
      const text = value(field);
      if (text === "") continue;
      line[field] = field === "quantity" ? text.replace(/[.,]0+$/, "") : text;
    }
    return line;
  });
}
