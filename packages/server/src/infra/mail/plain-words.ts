const CHARS_MAX = 80;

/** Words of others on one line, without what hides, turns around or begins another line. */
export function plainLine(text: string): string {
  const line = text.replace(/\s/g, " ").replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "");
  return [...line.replace(/ +/g, " ").trim()].slice(0, CHARS_MAX).join("");
}

/** Besides, nothing that ends the quotation, and nothing that a mail program makes a link of. */
export function quoted(text: string): string {
  return `"${plainLine(text)
    .replaceAll('"', "'")
    .replace(/[.:/@](?=\S)/g, "$& ")}"`;
}

/** One line as it is, but for what a mail program would make a link of. */
export function unlinked(text: string): string {
  return plainLine(text)
    .replace(/:(?=\/)/g, ": ")
    .replace(/[.@/](?=\p{L})/gu, "$& ");
}
