/** Names of properties whose values are never logged. */
const SECRET_NAMES = new Set(
  [
    "authorization",
    "cookie",
    "set-cookie",
    "password",
    "secret",
    "token",
    "jwk",
    "d",
    "admin_token",
    "secrets_key",
    "secret_key",
    "webhook_secret",
    "approval_secret",
    "sealed",
    "private_key",
    "privatejwk",
    "database_url",
    "smtp_url",
    "x-api-key",
  ].map((name) => name.toLowerCase()),
);

/** Formats of secrets, anywhere in a text. */
const SECRET_FORMS = new RegExp(
  [
    String.raw`\bgh[a-z]_[A-Za-z0-9_-]{20,}`,
    String.raw`\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{8,}`,
    String.raw`\bwhsec_[A-Za-z0-9+/=_-]{8,}`,
    String.raw`\b(?:tok|pm|spt)_[A-Za-z0-9_]{8,}`,
    String.raw`\bBearer\s+[A-Za-z0-9._~+/=-]{8,}`,
    String.raw`(?<=:\/\/[^/\s:@]{0,64}:)[^@\s/]{1,256}(?=@)`,
  ].join("|"),
  "gi",
);

const DEPTH_MAX = 6;
const ITEMS_MAX = 100;
const TEXT_CHARS_MAX = 4096;
const REDACTED = "[redacted]";

/** Replaces what looks like a secret inside a text. */
function redactText(text: string): string {
  return text.slice(0, TEXT_CHARS_MAX).replace(SECRET_FORMS, REDACTED);
}

/** A copy of a value that is safe to log: secrets replaced, depth and width bounded. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEPTH_MAX) return "[deep]";
  if (value instanceof Error) return redactError(value, depth);
  if (Array.isArray(value)) return value.slice(0, ITEMS_MAX).map((item) => redact(item, depth + 1));
  const safe: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value).slice(0, ITEMS_MAX)) {
    safe[name] = SECRET_NAMES.has(name.toLowerCase()) ? REDACTED : redact(member, depth + 1);
  }
  return safe;
}

function redactError(error: Error, depth: number): unknown {
  return {
    name: error.name,
    message: redactText(error.message),
    stack: redactText(error.stack ?? ""),
    ...(error.cause === undefined ? {} : { cause: redact(error.cause, depth + 1) }),
  };
}
