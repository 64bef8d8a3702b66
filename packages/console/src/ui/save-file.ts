/** Long enough for the browser to start the download. */
import { MINUTE_MS } from "./time-units.js";

const KEPT_MS = MINUTE_MS;

/** Downloads a file. */
export function saveFile(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** What spreadsheets read as a formula, including the characters that they skip before it. */
const FORMULA = /^[\s\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u;
/** A formula after a character that some spreadsheets read as the end of a field. */
const LATER_FORMULA = /([;\t]\s*)(?=[=+\-@])/g;

/**
 * A field of a CSV file (RFC 4180). Formulas are escaped, because names and texts come from strangers.
 */
function csvField(text: string): string {
  const plain = (FORMULA.test(text) ? `'${text}` : text).replace(LATER_FORMULA, "$1'");
  return `"${plain.replaceAll('"', '""')}"`;
}

export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(csvField).join(",")}\r\n`).join("");
}
