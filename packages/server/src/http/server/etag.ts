import { createHash } from "node:crypto";

/** A strong entity tag of the exact bytes served, and of their type where there are several. */
export function etagOf(bytes: string | Uint8Array, type = ""): string {
  const digest = createHash("sha256").update(type).update(bytes).digest("base64url");
  return `"${digest.slice(0, 27)}"`;
}

/** Whether If-None-Match already names these bytes (weak comparison, RFC 9110 section 13.1.2). */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return ifNoneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag);
}
