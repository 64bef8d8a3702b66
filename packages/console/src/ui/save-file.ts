/** Long enough for a browser to have begun. */
const KEPT_MS = 60_000;

/** Hands a file to the browser, to be kept where it keeps such. */
export function saveFile(name: string, type: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT_MS);
}

/** What spreadsheets take for a formula, whatever they pass over before it. */
const FORMULA = /^[\s\p{Cf}]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u;
/** The same behind what some of them take for the end of a field. */
const LATER_FORMULA = /([;\t]\s*)(?=[=+\-@])/g;

/**
 * A field of a CSV file (RFC 4180). What a spreadsheet would take for a formula is words here: names
 * and texts come from strangers.
 */
function csvField(text: string): string {
  const plain = (FORMULA.test(text) ? `'${text}` : text).replace(LATER_FORMULA, "$1'");
  return `"${plain.replaceAll('"', '""')}"`;
}

export function csvText(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(csvField).join(",")}\r\n`).join("");
}
