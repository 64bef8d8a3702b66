import { REASONS, type ReasonCode, reasonDocsSlug } from "@gatehouse/protocol";

/** The page that explains a reason; undefined for a word that is none. */
export function errorPage(reason: unknown): string | undefined {
  const known = typeof reason === "string" && Object.hasOwn(REASONS, reason);
  return known ? `docs/errors/${reasonDocsSlug(reason as ReasonCode)}.md` : undefined;
}
