import { isIP } from "node:net";
import { resolve } from "node:path";
import { fromBase64url, parseUrl } from "@gatehouse/protocol";
import type { KeyAlias } from "../infra/keys/store.js";
import { StartupError } from "../startup-error.js";
import { LOG_LEVELS, type LogLevel } from "./variables.js";

/**
 * Readers of single variables. Each gets the variable's name for its error message, which never contains
 * the value, because that may be a secret.
 */
export const ADMIN_TOKEN_CHARS_MIN = 32;
const SECRETS_KEY_BYTES = 32;
const NEAR_EDITS_MAX = 4;

export function fail(name: string, wanted: string): never {
  throw new StartupError(`${name} must be ${wanted}.`);
}

export function oneOf<T extends string>(
  name: string,
  value: string | undefined,
  choices: readonly T[],
): T {
  const chosen = choices.find((choice) => choice === value);
  return chosen ?? fail(name, choices.join(" or "));
}

export function logLevel(name: string, value: string | undefined): LogLevel {
  return oneOf(name, value, LOG_LEVELS);
}

export function integer(
  name: string,
  value: string | undefined,
  { min, max }: { min: number; max: number },
): number {
  const number = /^\d{1,9}$/.test(value ?? "") ? Number(value) : Number.NaN;
  if (!(number >= min && number <= max)) fail(name, `a whole number from ${min} to ${max}`);
  return number;
}

export function limit(name: string, value: string | undefined, max: number): number {
  return integer(name, value, { min: 1, max });
}

export function host(name: string, value: string | undefined): string {
  const plain = (value ?? "").replace(/^\[(.*)\]$/, "$1");
  if (isIP(plain) === 0 && plain !== "localhost") {
    fail(name, "an IP address to listen on, such as 127.0.0.1 or 0.0.0.0");
  }
  return plain;
}

/** Only for addresses, because `127.example.com` is a host name. */
export function isLoopback(address: string): boolean {
  if (address === "localhost" || address === "::1") return true;
  return isIP(address) === 4 && address.startsWith("127.");
}

export function path(_name: string, value: string | undefined): string {
  return resolve(value ?? ".");
}

export function baseUrl(name: string, value: string, mode: string): string {
  const url = parseUrl(value);
  const scheme = mode === "development" ? ["https:", "http:"] : ["https:"];
  if (url === undefined || !scheme.includes(url.protocol)) {
    const also = mode === "development" ? "http:// or " : "";
    const hint = also === "" ? " (or set GATEHOUSE_MODE=development)" : "";
    fail(name, `an ${also}https:// address${hint}`);
  }
  const extra = url.pathname !== "/" || url.search !== "" || url.hash !== "" || url.username !== "";
  if (extra || url.password !== "") fail(name, "an origin only, like https://gate.example.com");
  return url.origin;
}

/** By default the security mailbox that RFC 2142 defines for every domain. */
export function contact(name: string, value: string | undefined, baseUrl: string): string {
  if (value === undefined) return `mailto:security@${new URL(baseUrl).hostname}`;
  const url = parseUrl(value);
  if (url === undefined || !["https:", "mailto:", "tel:"].includes(url.protocol)) {
    fail(name, "a mailto:, https: or tel: address");
  }
  return url.href;
}

export function databaseUrl(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const url = parseUrl(value);
  if (url === undefined || !["postgres:", "postgresql:"].includes(url.protocol)) {
    fail(name, "a postgres://user:password@host:port/name address, or not set to use SQLite");
  }
  return value;
}

/** The origin of a service: a scheme, a host, perhaps a port. */
export function origin(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const url = parseUrl(value);
  const plain = url?.protocol === "http:" || url?.protocol === "https:";
  if (url === undefined || !plain || url.origin !== value.replace(/\/$/, "")) {
    fail(name, "an origin such as http://127.0.0.1:12111");
  }
  return url.origin;
}

/** The address of a sign-in service, which may have a path. Plain HTTP is for development. */
export function issuer(name: string, value: string, mode: "production" | "development"): string {
  const url = parseUrl(value);
  const secure =
    url?.protocol === "https:" || (mode === "development" && url?.protocol === "http:");
  if (url === undefined || !secure || url.search !== "" || url.hash !== "") {
    fail(name, "an https address, such as https://login.example.com");
  }
  return value;
}

export function adminToken(name: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (value.length < ADMIN_TOKEN_CHARS_MIN || !/^[\x21-\x7e]+$/.test(value)) {
    fail(name, `at least ${ADMIN_TOKEN_CHARS_MIN} visible ASCII characters, without spaces`);
  }
  return value;
}

export function secretsKey(name: string, value: string): string {
  if (fromBase64url(value.trim())?.length !== SECRETS_KEY_BYTES) {
    fail(name, `${SECRETS_KEY_BYTES} random bytes in unpadded base64url (43 characters)`);
  }
  return value.trim();
}

function list(value: string | undefined): string[] {
  return (value ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

export function networks(name: string, value: string | undefined): readonly string[] {
  return list(value).map((entry) => {
    const [address = "", bits, ...rest] = entry.split("/");
    const family = isIP(address);
    const bitsMax = family === 4 ? 32 : 128;
    const valid =
      rest.length === 0 &&
      (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax));
    if (family === 0 || !valid) fail(name, "addresses or CIDR blocks, such as 10.0.0.0/8, ::1");
    return entry;
  });
}

export function hosts(name: string, value: string | undefined): readonly string[] {
  return list(value).map((entry) => {
    const url = parseUrl(`http://${entry}`);
    if (url === undefined || url.pathname !== "/" || url.username !== "" || entry.includes("/")) {
      fail(name, "hosts with or without a port, such as shop.localhost:3000");
    }
    return entry.toLowerCase();
  });
}

/** The last millisecond of a UTC day; undefined for a day that does not exist, such as 2027-02-30. */
function endOfDay(day: string): number | undefined {
  const until = Date.parse(`${day}T23:59:59.999Z`);
  const exists = !Number.isNaN(until) && new Date(until).toISOString().startsWith(day);
  return exists ? until : undefined;
}

export function keyAliases(name: string, value: string | undefined): readonly KeyAlias[] {
  const aliases = list(value).map((entry) => {
    const [, alias, kid, day = ""] =
      /^([\w.-]{1,128})=([\w.-]{1,128})@(\d{4}-\d{2}-\d{2})$/.exec(entry) ?? [];
    const until = endOfDay(day);
    if (alias === undefined || kid === undefined || until === undefined) {
      fail(name, "entries like old-id=key-id@2027-01-31, separated by commas, with real dates");
    }
    return { alias, kid, until };
  });
  const ids = aliases.map(({ alias }) => alias);
  if (new Set(ids).size < ids.length) fail(name, "a list in which each old id appears once");
  return aliases;
}

function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}

/** The known word that a misspelt one probably means. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((name) => ({ name, distance: edits(word.slice(0, 80), name) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= NEAR_EDITS_MAX ? best.name : undefined;
}
