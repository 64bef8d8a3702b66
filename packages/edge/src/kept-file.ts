import { maxAgeMs } from "./max-age.js";
import { HOUR_MS } from "./time.js";

/** A document of Gatehouse as it is kept: its bytes, and the headers that belong to them. */
export interface KeptFile {
  readonly body: Uint8Array;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Milliseconds. */
  readonly keptAt: number;
  readonly freshUntil: number;
  /** When its signature expires; null if nothing in it expires. */
  readonly expiresAt: number | null;
}

/** What of an answer describes the document, and not the connection it came over. */
const PASSED_ON = [
  "content-type",
  "cache-control",
  "etag",
  "vary",
  "link",
  "content-security-policy",
  "referrer-policy",
  "x-content-type-options",
  "access-control-allow-origin",
  "access-control-expose-headers",
];

/** A document is asked for again after this long, even one that nobody should store. */
const FRESH_MS_MIN = 5_000;
const FRESH_MS_MAX = HOUR_MS;

function freshMs(cacheControl: string): number {
  if (/\bno-(?:store|cache)\b/i.test(cacheControl)) return FRESH_MS_MIN;
  return maxAgeMs(cacheControl, { min: FRESH_MS_MIN, max: FRESH_MS_MAX });
}

export function keepFile(
  answer: Response,
  body: Uint8Array,
  { now, expiresAt }: { readonly now: number; readonly expiresAt: number | null },
): KeptFile {
  const headers = PASSED_ON.flatMap((name) => {
    const value = answer.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const freshUntil = now + freshMs(answer.headers.get("cache-control") ?? "");
  return Object.freeze({ body, headers, keptAt: now, freshUntil, expiresAt });
}

/** How soon a document that expired may be asked for again. */
const RETRY_AFTER_S = "5";

/** An expired signature proves nothing, and verifiers would take the document for a forgery. */
export function answerExpired(method: string): Response {
  const message = "This document has expired and could not be renewed. Try again shortly.";
  const body = method === "HEAD" ? null : JSON.stringify({ error: "unavailable", message });
  return new Response(body, {
    status: 503,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "retry-after": RETRY_AFTER_S,
      "access-control-allow-origin": "*",
    },
  });
}

/** A document with other content, without the headers that described the old bytes. */
export function changedFile(file: KeptFile, text: string): KeptFile {
  const headers = file.headers.filter(([name]) => name !== "etag" && name !== "cache-control");
  const body = new TextEncoder().encode(text);
  return { ...file, body, headers: [...headers, ["cache-control", "no-store"]] };
}

/** Weak comparison (RFC 9110 section 13.1.2). */
function isUnchanged(ifNoneMatch: string | null, etag: string | undefined): boolean {
  if (ifNoneMatch === null || etag === undefined) return false;
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes("*") || tags.includes(etag.replace(/^W\//, ""));
}

/** The answer to a request for it. */
export function answerFile(
  { body, headers }: KeptFile,
  method: string,
  ifNoneMatch: string | null,
): Response {
  const own = headers.map(([name, value]): [string, string] => [name, value]);
  const etag = own.find(([name]) => name === "etag")?.[1];
  if (isUnchanged(ifNoneMatch, etag)) {
    return new Response(null, {
      status: 304,
      headers: own.filter(([name]) => name !== "content-type"),
    });
  }
  const length: [string, string] = ["content-length", String(body.length)];
  const content = method === "HEAD" ? null : (body as Uint8Array<ArrayBuffer>);
  return new Response(content, { headers: [...own, length] });
}
