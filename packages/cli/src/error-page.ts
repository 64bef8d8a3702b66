import { parseUrl, REASONS, type ReasonCode, reasonDocsSlug } from "@gatehouse/protocol";

/** The page that explains a reason; undefined for a word that is none. */
export function errorPage(reason: unknown): string | undefined {
  const known = typeof reason === "string" && Object.hasOwn(REASONS, reason);
  return known ? `docs/errors/${reasonDocsSlug(reason as ReasonCode)}.md` : undefined;
}

/** Characters of an address that anybody reads. */
const PAGE_CHARS_MAX = 300;

/**
 * Where a refusal is explained, as whoever refused says; undefined for what is no web address, or one
 * made to mislead: `https://docs.example.com@evil.example/` is a page of evil.example.
 */
export function explainedAt(docsUrl: unknown): string | undefined {
  if (typeof docsUrl !== "string" || docsUrl.length > PAGE_CHARS_MAX) return undefined;
  const url = parseUrl(docsUrl);
  if (url === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  const { href, username, password } = url;
  return username + password === "" && href.length <= PAGE_CHARS_MAX ? href : undefined;
}
