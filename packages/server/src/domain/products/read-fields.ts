import { type JsonValue, ok, parseUrl, type Result, refuse, strictHref } from "@gatehouse/protocol";

const URL_CHARS_MAX = 2048;

/** Characters that are invisible or change how other text is displayed. Texts of products must not have them. */
export const UNSEEN = /[\p{Cc}\p{Cs}\p{Bidi_Control}\u2028\u2029\ufeff]/u;

export type Read<T> = Result<T, "invalid">;
export const bad = (detail: string) => refuse("invalid", detail);

export function readText(
  value: JsonValue | undefined,
  name: string,
  charsMax: number,
): Read<string> {
  if (typeof value !== "string" && typeof value !== "number") return bad(`${name}: is missing`);
  const text = String(value)
    .replaceAll(/[\r\n\t]+/g, " ")
    .trim();
  if (text === "") return bad(`${name}: is missing`);
  if (UNSEEN.test(text)) return bad(`${name}: has invisible characters`);
  if ([...text].length > charsMax) return bad(`${name}: has more than ${charsMax} characters`);
  return ok(text);
}

export function readLink(value: JsonValue | undefined, name: string): Read<string | null> {
  if (value === undefined || value === null || value === "") return ok(null);
  const url = typeof value === "string" ? parseUrl(value.trim()) : undefined;
  if (url?.protocol !== "https:" || url.username !== "" || url.href.length > URL_CHARS_MAX) {
    return bad(`${name}: must be an address that begins with https://`);
  }
  return ok(strictHref(url));
}
