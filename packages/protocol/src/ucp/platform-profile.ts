import { isJsonObject, type JsonObject, type JsonValue } from "../json/value.js";
import { ok, type Result, refuse } from "../result.js";
import { parseUrl, strictHref } from "../url.js";
import { isUcpVersion, UCP_VERSIONS, type UcpVersion } from "./versions.js";

const NAMES_MAX = 200;
const ENTRIES_MAX = 20;
const KEYS_MAX = 32;
const URL_CHARS_MAX = 2048;
const OWN = "dev.ucp.";
const VERSION = /^\d{4}-\d{2}-\d{2}$/;

/** A capability as a platform lists it. */
interface PlatformCapability {
  readonly version: string;
  /** What it extends; nothing where it stands by itself. */
  readonly parents: readonly string[];
  /** Where the platform wants to hear of orders. */
  readonly webhookUrl?: string;
}

/** What a platform says of itself, as far as it matters here. */
export interface PlatformProfile {
  readonly version: UcpVersion;
  readonly capabilities: ReadonlyMap<string, readonly PlatformCapability[]>;
  /** Public keys by their `kid`; kinds that are not known here among them. */
  readonly keys: readonly JsonObject[];
}

export type ProfileFault = "profile_malformed" | "version_unsupported";

function readParents(value: JsonValue | undefined): readonly string[] | undefined {
  if (value === undefined) return [];
  const parents = Array.isArray(value) ? (value as readonly JsonValue[]) : [value];
  return parents.every((parent) => typeof parent === "string")
    ? (parents as readonly string[])
    : undefined;
}

/** An address in one spelling. One that is none is as if nothing was said: the rest still counts. */
function readAddress(value: JsonValue | undefined): string | undefined {
  if (typeof value !== "string" || value.length > URL_CHARS_MAX) return undefined;
  const url = parseUrl(value);
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    return undefined;
  }
  url.hash = "";
  return strictHref(url);
}

function readCapability(value: JsonValue): PlatformCapability | undefined {
  if (!isJsonObject(value)) return undefined;
  const { version, config = {} } = value;
  const parents = readParents(value.extends);
  if (typeof version !== "string" || parents === undefined || !isJsonObject(config)) {
    return undefined;
  }
  const webhookUrl = readAddress(config.webhook_url);
  return { version, parents, ...(webhookUrl === undefined ? {} : { webhookUrl }) };
}

function readCapabilities(value: JsonValue): PlatformProfile["capabilities"] | undefined {
  if (!isJsonObject(value) || Object.keys(value).length > NAMES_MAX) return undefined;
  const capabilities = new Map<string, readonly PlatformCapability[]>();
  for (const [name, entries] of Object.entries(value)) {
    if (!Array.isArray(entries) || entries.length > ENTRIES_MAX) return undefined;
    const read = (entries as readonly JsonValue[]).map(readCapability);
    if (read.some((entry) => entry === undefined)) return undefined;
    // Of what is not UCP's nothing can be in common: it is read, and not kept.
    if (name.startsWith(OWN)) capabilities.set(name, read as readonly PlatformCapability[]);
  }
  return capabilities;
}

/** What a key is told by; a stranger's other members are not kept. */
const KEY_MEMBERS = ["kid", "kty", "crv", "x", "y", "use", "alg", "key_ops"];

function keyOf(key: JsonObject): JsonObject {
  return Object.fromEntries(
    KEY_MEMBERS.flatMap((name) => (name in key ? [[name, key[name]]] : [])),
  ) as JsonObject;
}

/** Members of a private key: whoever publishes one has no key any more. */
const PRIVATE = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

function readKeys(value: JsonValue): readonly JsonObject[] | undefined {
  if (!Array.isArray(value) || value.length > KEYS_MAX) return undefined;
  const keys = value as readonly JsonValue[];
  const good = (key: JsonValue): key is JsonObject =>
    isJsonObject(key) && typeof key.kid === "string" && !PRIVATE.some((name) => name in key);
  return keys.every(good) ? keys.map(keyOf) : undefined;
}

/**
 * Reads the profile of a platform. Kinds of keys that are not known are kept: they only matter to the
 * signatures that name them.
 *
 * @example
 * readPlatformProfile({ ucp: { version: "2026-01-11" } }).reason; //=> "version_unsupported"
 */
export function readPlatformProfile(value: JsonValue): Result<PlatformProfile, ProfileFault> {
  const malformed = (detail: string) => refuse("profile_malformed", detail);
  if (!isJsonObject(value) || !isJsonObject(value.ucp)) {
    return malformed("A profile is an object with the member `ucp`.");
  }
  const { version, services, capabilities = {}, payment_handlers } = value.ucp;
  if (typeof version !== "string" || !VERSION.test(version)) {
    return malformed("The profile's `ucp.version` must be a date such as 2026-08-25.");
  }
  if (!isUcpVersion(version)) {
    return refuse("version_unsupported", `This site speaks UCP ${UCP_VERSIONS.join(" and ")}.`);
  }
  if (!isJsonObject(services ?? null) || !isJsonObject(payment_handlers ?? null)) {
    return malformed("The profile's `ucp` must have `services` and `payment_handlers`.");
  }
  const offered = readCapabilities(capabilities);
  if (offered === undefined) return malformed("The profile's `ucp.capabilities` cannot be read.");
  // 2026-04-08 names them otherwise, and a platform that speaks both may have both.
  const [keys, signingKeys] = [value.keys, value.signing_keys].map((list) => readKeys(list ?? []));
  if (keys === undefined || signingKeys === undefined) {
    return malformed("The profile's `keys` must be public keys with a `kid`.");
  }
  const known = new Set(keys.map(({ kid }) => kid));
  const others = signingKeys.filter(({ kid }) => !known.has(kid));
  return ok({ version, capabilities: offered, keys: [...keys, ...others] });
}
