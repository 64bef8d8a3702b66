import { parseUrl, REASONS, type ReasonCode, reasonDocsSlug } from "@gatehouse/protocol";

/** The page that explains a reason; undefined for a word that is none. */
export function errorPage(reason: unknown): string | undefined {
  const known = typeof reason === "string" && Object.hasOwn(REASONS, reason);
  return known ? `docs/errors/${reasonDocsSlug(reason as ReasonCode)}.md` : undefined;
}

/** Where a refusal is explained, as whoever refused says; undefined for what is no web address. */
export function explainedAt(docsUrl: unknown): string | undefined {
  const url = typeof docsUrl === "string" ? parseUrl(docsUrl) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) ? url.href : undefined;
}
