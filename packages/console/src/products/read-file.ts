import Papa from "papaparse";
import { quantityReader, readPrice } from "./read-price.js";

/**
 * The fields of a product, in the order of the form. Each has its other names in shop systems and spreadsheets, in lower
 * case and letters only.
 */
const NAMES = {
  id: ["sku", "productid", "variantsku", "articlenumber", "artikelnummer", "article", "handle"],
  title: ["name", "productname", "product", "titel", "bezeichnung", "artikel"],
  price: ["regularprice", "variantprice", "unitprice", "preis", "amount", "prix", "precio"],
  currency: ["currencycode", "wahrung", "waehrung", "devise", "moneda"],
  quantity: [
    "stock",
    "qty",
    "inventory",
    "stockquantity",
    "variantinventoryqty",
    "bestand",
    "lager",
    "lagerbestand",
  ],
  description: ["bodyhtml", "shortdescription", "beschreibung", "text"],
  image_url: ["image", "imagelink", "imagesrc", "images", "bild", "picture"],
  url: ["link", "producturl", "permalink", "adresse"],
  availability: ["stockstatus", "verfugbarkeit"],
  sale_price: ["angebotspreis", "sonderpreis", "aktionspreis"],
  sale_from: ["datesalepricestarts"],
  sale_until: ["datesalepriceends"],
  brand: ["vendor", "brands", "marke", "hersteller", "marque", "marca"],
  gtin: ["ean", "upc", "barcode", "variantbarcode", "isbn", "gtinupceanorisbn"],
  mpn: ["manufacturerpartnumber"],
  // In a file without an `id`, the column of one of these is the id.
  sku: ["variantsku", "articlenumber", "artikelnummer"],
  identifier_exists: [],
  category: ["producttype", "googleproductcategory", "categories", "kategorie"],
  additional_image_urls: ["additionalimagelink"],
  item_group_id: ["parent"],
  options: [],
} as const;
export type Field = keyof typeof NAMES;
export const FIELDS = Object.keys(NAMES) as Field[];

/** A row of a file, with the number of the line where it begins. */
interface Row {
  readonly line: number;
  readonly values: Readonly<Record<string, string>>;
}

/** A file: the names of its columns, and its rows. */
export interface ReadFile {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
}

export type Mapping = Readonly<Partial<Record<Field, string>>>;

/** A product in the format of the API, with the number of its line. */
export interface Line {
  readonly line: number;
  readonly value: Readonly<Record<string, string>>;
}

const folded = (text: string) =>
  text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z]/g, "");

const isBlank = (cells: readonly string[]) => cells.every((cell) => cell.trim() === "");
const breaksIn = (cells: readonly string[]) =>
  cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0);

/** Reads a table with commas, semicolons or tabs. */
export async function readTable(file: Blob): Promise<ReadFile> {
  const { data } = Papa.parse<string[]>(await textOf(file), { skipEmptyLines: false });
  let next = 1;
  const numbered = data.map((cells) => {
    const line = next;
    // A field in quotes can go over several lines.
    next += 1 + breaksIn(cells);
    return { line, cells };
  });
  const [head, ...rows] = numbered.filter(({ cells }) => !isBlank(cells));
  const names = (head?.cells ?? []).map((name) => name.trim());
  const columns = [...new Set(names)].filter((name) => name !== "");
  if (columns.length === 0)
    throw new Error("The file has no columns. The first line must contain their names.");
  return {
    columns,
    rows: rows.map(({ line, cells }) => ({
      line,
      values: Object.fromEntries(
        columns.map((name) => [name, cells[names.indexOf(name)]?.trim() ?? ""]),
      ),
    })),
  };
}

/** A JSON value as a field of a table has it: `Color: Red; Size: M` for the options of a variant. */
export function cellText(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return String(value ?? "");
  return Object.entries(value)
    .map((pair) => pair.join(": "))
    .join("; ");
}

/** Reads JSON lines, which already use the field names of the API. */
export async function readJsonLines(file: Blob): Promise<ReadFile> {
  const rows = (await file.text()).split("\n").flatMap((text, place): Row[] => {
    if (text.trim() === "") return [];
    const line = place + 1;
    try {
      const entries = Object.entries(JSON.parse(text) as Record<string, unknown>);
      return [{ line, values: Object.fromEntries(entries.map(([k, v]) => [k, cellText(v)])) }];
    } catch {
      throw new Error(`Line ${line} is not valid JSON.`);
    }
  });
  return { columns: [...new Set(rows.flatMap(({ values }) => Object.keys(values)))], rows };
}

/** Excel on Windows saves in an older encoding, which is used for files that are not UTF-8. */
async function textOf(file: Blob): Promise<string> {
  const bytes = await file.arrayBuffer();
  if (new Uint8Array(bytes).includes(0))
    throw new Error("This is not a text file. Save the table as CSV, and choose that file.");
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
    for (const name of [folded(field), ...NAMES[field]]) {
      const column = [...left].find((one) => folded(one) === name);
      if (column === undefined) continue;
      mapping[field] = column;
      left.delete(column);
      break;
    }
  }
  // A sale whose times are in a column that nobody has chosen would begin now, and never end.
  const hasOtherTimes = [...left].some((one) => /sale.*date|date.*sale/.test(folded(one)));
  if (hasOtherTimes) delete mapping.sale_price;
  return mapping;
}

/** The lines in the format of the API. A line leaves out the fields that the file does not have. */
export function linesOf({ rows }: ReadFile, mapping: Mapping, currency: string): readonly Line[] {
  const readQuantity = quantityReader(rows.map(({ values }) => values[mapping.price ?? ""] ?? ""));
  return rows.map(({ line, values }) => {
    const textIn = (field: Field) => values[mapping[field] ?? ""] ?? "";
    const value: Record<string, string> = { id: textIn("id") };
    for (const field of FIELDS) {
      const text = textIn(field);
      // An empty cell clears the field. A line without the field leaves it unchanged.
      const column = mapping[field];
      if (column === undefined || !Object.hasOwn(values, column) || field === "currency") continue;
      if (text === "" && field === "availability") continue;
      // A barcode of the shop itself, or one that a spreadsheet has rounded, is no GTIN.
      if (text !== "" && field === "gtin" && !/^[\d\s-]{8,20}$/.test(text)) continue;
      if (field === "price") {
        const read = readPrice(text);
        value.price = read.price;
        value.currency = textIn("currency") || (read.currency ?? currency);
      } else if (field === "sale_price" && text !== "") value[field] = readPrice(text).price;
      else value[field] = field === "quantity" ? readQuantity(text) : text;
    }
    return { line, value };
  });
}
