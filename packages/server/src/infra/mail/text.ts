const ADDRESS_CHARS_MAX = 254;
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const LOCAL_CHARS_MAX = 64;
const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])$/i;

/** Whether a text is one plain address, without quoted names, comments, lists or line breaks. */
export function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, at);
  if (at < 1 || text.length > ADDRESS_CHARS_MAX || local.length > LOCAL_CHARS_MAX) return false;
  return LOCAL_PART.test(local) && DOMAIN.test(text.slice(at + 1));
}

const LINE_CHARS_MAX = 80;

/** A stranger's text on one line, without invisible characters, direction marks and line breaks. */
export function plainLine(text: string): string {
  const line = text.replace(/\s/g, " ").replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "");
  return [...line.replace(/ +/g, " ").trim()].slice(0, LINE_CHARS_MAX).join("");
}

/**
 * The same in quotation marks, and without anything that a mail program would turn into a link. What stands
 * between two digits is an amount, a time or a date.
 */
export function quoted(text: string): string {
  return `"${plainLine(text)
    .replaceAll('"', "'")
    .replace(/(?<!\d)[.:/@](?=\S)|[.:/@](?=[^\s\d])/g, "$& ")}"`;
}

/** One line, without anything that a mail program would turn into a link. */
export function unlinked(text: string): string {
  return plainLine(text)
    .replace(/:(?=\/)/g, ": ")
    .replace(/[.@/](?=\p{L})/gu, "$& ");
}
