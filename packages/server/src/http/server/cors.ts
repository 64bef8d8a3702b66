/**
 * Which pages of other origins may read a group's answers: all (`open`), the page that sent the request,
 * without credentials (`echo`), or none (`none`).
 */
export type Cors = "open" | "echo" | "none";

const MAX_AGE_S = "600";
const REQUEST_HEADERS = [
  "Accept",
  "Content-Type",
  "Prefer",
  "X-Service-Request-Id",
  "Mcp-Session-Id",
  "Mcp-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
  "Last-Event-ID",
  "UCP-Agent",
  "Idempotency-Key",
  "Signature",
  "Signature-Input",
  "Signature-Agent",
  "Content-Digest",
  "If-None-Match",
].join(", ");
const EXPOSED_HEADERS = [
  "ETag",
  "Retry-After",
  "X-Request-Id",
  "X-Service-Request-Id",
  "Mcp-Session-Id",
  "Signature",
  "Signature-Input",
  "Content-Digest",
  "Idempotent-Replayed",
].join(", ");

export function corsHeaders(cors: Cors, origin: string | undefined): [string, string][] {
  if (cors === "none") return [];
  const exposed: [string, string] = ["access-control-expose-headers", EXPOSED_HEADERS];
  if (cors === "open") return [["access-control-allow-origin", "*"], exposed];
  if (origin === undefined) return [["vary", "Origin"]];
  return [["access-control-allow-origin", origin], ["vary", "Origin"], exposed];
}

/** The headers that only the answer to a preflight has. */
export function preflightHeaders(cors: Cors, allow: string): Readonly<Record<string, string>> {
  if (cors === "none") return { allow };
  return {
    allow,
    "access-control-allow-methods": allow,
    "access-control-allow-headers": REQUEST_HEADERS,
    "access-control-max-age": MAX_AGE_S,
  };
}
