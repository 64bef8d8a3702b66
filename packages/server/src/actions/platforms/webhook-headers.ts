export const WEBHOOK_HEADERS_MAX = 8;
export const HEADER_NAME_CHARS_MAX = 64;
export const HEADER_VALUE_CHARS_MAX = 1024;
/** What the API shows in place of a value. Somebody who sends it back means no new value. */
export const MASKED = "********";

const NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers that belong to the connection, to the message or to its signature. */
const OWN = new Set([
  "connection",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "expect",
  "proxy-authorization",
  "proxy-authenticate",
  "proxy-connection",
  "host",
  "cookie",
  "content-length",
  "content-type",
  "content-encoding",
  "content-digest",
  "date",
  "ucp-agent",
  "webhook-id",
  "webhook-timestamp",
  "idempotency-key",
  "signature",
  "signature-input",
  "signature-agent",
  "user-agent",
  "accept",
  "accept-encoding",
]);

/** What is wrong with the headers of a webhook; undefined if nothing is. */
export function headersFault(headers: Readonly<Record<string, string>>): string | undefined {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  if (names.length > WEBHOOK_HEADERS_MAX) {
    return `webhook.headers: must be at most ${WEBHOOK_HEADERS_MAX}.`;
  }
  if (new Set(names).size < names.length) return "webhook.headers: has the same name twice.";
  for (const [name, value] of Object.entries(headers)) {
    if (!NAME.test(name) || name.length > HEADER_NAME_CHARS_MAX) {
      return "webhook.headers: a name must look like X-Api-Key.";
    }
    if (OWN.has(name.toLowerCase())) return `webhook.headers: ${name} cannot be set.`;
    if (value === MASKED) return `webhook.headers: the value of ${name} is missing.`;
    if (!VALUE.test(value) || value.length > HEADER_VALUE_CHARS_MAX) {
      return `webhook.headers: the value of ${name} must be visible ASCII.`;
    }
  }
  return undefined;
}
