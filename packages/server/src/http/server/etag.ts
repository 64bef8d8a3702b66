import { createHash } from "node:crypto";
import type { Answer, Exchange } from "./exchange.js";

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

interface CachedBody {
  readonly body: string | Uint8Array;
  readonly type: string;
  /** With `etag` and `cache-control`. */
  readonly headers: Readonly<Record<"etag" | "cache-control", string>>;
}

/** A body that clients may cache, or 304 for a client that has it already. */
export function cacheableAnswer(exchange: Exchange, { body, type, headers }: CachedBody): Answer {
  const isKnown = isFresh(exchange.header("if-none-match"), headers.etag);
  if (isKnown) return { status: 304, headers };
  return { status: 200, body, headers: { ...headers, "content-type": type } };
}
