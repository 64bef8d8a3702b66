import {
  type AgentKey,
  type FoundKey,
  isJsonObject,
  type JsonValue,
  parseJson,
  parseUrl,
  readAgentKey,
} from "@gatehouse/protocol";
import { maxAgeMs } from "./max-age.js";
import type { FetchedKeys, Runtime } from "./runtime.js";
import { DAY_MS, MINUTE_MS } from "./time.js";

/** Directories remembered; the longest unused is forgotten first. */
const DIRECTORIES_MAX = 500;
const KEYS_MAX = 32;
const FRESH_MS_MIN = MINUTE_MS;
const FRESH_MS_MAX = DAY_MS;
/** How long keys hold whose directory cannot be read again. */
const STALE_MS_MAX = DAY_MS;
/** How long a directory that failed, or lacked a key, is not asked again. */
const AGAIN_MS = 5 * MINUTE_MS;

const TYPES =
  /^application\/(?:http-message-signatures-directory\+json|jwk-set\+json|json)\s*(?:;|$)/i;

interface Directory {
  readonly keys: ReadonlyMap<string, AgentKey>;
  readonly freshUntil: number;
  readonly staleUntil: number;
  /** Milliseconds; before it the directory is not asked again, whatever key is missing. */
  readonly notBefore: number;
}

const NOTHING: Directory = { keys: new Map(), freshUntil: 0, staleUntil: 0, notBefore: 0 };

/** Seconds of a JWK's `nbf` or `exp`; undefined where there is none. */
function secondsOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function isCurrent(jwk: JsonValue, nowMs: number): boolean {
  if (!isJsonObject(jwk)) return false;
  const now = nowMs / 1000;
  const { nbf, exp } = jwk;
  return (secondsOf(nbf) ?? now) <= now && now < (secondsOf(exp) ?? Number.POSITIVE_INFINITY);
}

/** The keys of a directory, of a key set, or of a client's metadata that holds one. */
function keysIn(document: JsonValue): readonly JsonValue[] | undefined {
  if (!isJsonObject(document)) return undefined;
  const { keys, jwks } = document;
  if (Array.isArray(keys)) return keys as readonly JsonValue[];
  return jwks === undefined ? undefined : keysIn(jwks);
}

/** Names of machines nobody outside can reach are not asked. (Node looks at addresses besides.) */
function isPublicAddress(address: string): boolean {
  const url = parseUrl(address);
  return url?.protocol === "https:" && url.hostname.includes(".") && !/[\d\]]$/.test(url.hostname);
}

/**
 * The keys agents publish, by the address they stand at: a key is an agent's only together with it. A
 * failed fetch keeps what is known; a whole answer replaces it, also by less.
 */
export class KeyDirectories {
  private readonly runtime: Runtime;
  private readonly directories = new Map<string, Directory>();
  /** Sources that never gave keys: apart, so that many of them push out nobody's. */
  private readonly failures = new Map<string, Directory>();
  private readonly underWay = new Map<string, Promise<Directory>>();

  constructor(runtime: Runtime) {
    this.runtime = runtime;
  }

  /** With `fetching` false, only keys that are known already are found. */
  async find(source: string | undefined, thumbprint: string, fetching = true): Promise<FoundKey> {
    if (source === undefined) return "unknown_key";
    if (!isPublicAddress(source)) return "not_reachable";
    const { clock } = this.runtime;
    let known = this.directories.get(source) ?? this.failures.get(source) ?? NOTHING;
    const fresh = clock.now() < known.freshUntil;
    const wanted = !(fresh && known.keys.has(thumbprint)) && clock.now() >= known.notBefore;
    if (wanted && fetching) known = await this.renewal(source, known);
    if (!wanted || fetching) this.remember(source, known);
    if (clock.now() >= known.staleUntil) return "not_reachable";
    return known.keys.get(thumbprint) ?? "unknown_key";
  }

  private renewal(source: string, known: Directory): Promise<Directory> {
    const running = this.underWay.get(source);
    if (running !== undefined && this.runtime.sharesWork) return running;
    const renewal = this.renew(source, known).finally(() => this.underWay.delete(source));
    this.underWay.set(source, renewal);
    return renewal;
  }

  private async renew(source: string, known: Directory): Promise<Directory> {
    const { clock } = this.runtime;
    const fetched = await this.runtime.fetchKeys(source).catch(() => undefined);
    const keys = fetched === undefined ? undefined : await this.read(fetched);
    const now = clock.now();
    if (keys === undefined) return { ...known, notBefore: now + AGAIN_MS };
    const freshUntil =
      now + maxAgeMs(fetched?.cacheControl ?? "", { min: FRESH_MS_MIN, max: FRESH_MS_MAX });
    const notBefore = Math.min(freshUntil, now + AGAIN_MS);
    return { keys, freshUntil, staleUntil: freshUntil + STALE_MS_MAX, notBefore };
  }

  /** Undefined for what is no directory: it says nothing about the keys known before. */
  private async read({
    contentType,
    body,
  }: FetchedKeys): Promise<ReadonlyMap<string, AgentKey> | undefined> {
    const parsed = TYPES.test(contentType) ? parseJson(body) : undefined;
    const listed = parsed?.ok ? keysIn(parsed.value) : undefined;
    if (listed === undefined || listed.length > KEYS_MAX) return undefined;
    const keys = new Map<string, AgentKey>();
    for (const jwk of listed) {
      const key = isCurrent(jwk, this.runtime.clock.now()) ? await readAgentKey(jwk) : undefined;
      if (key !== undefined) keys.set(key.thumbprint, key);
    }
    return keys;
  }

  private remember(source: string, directory: Directory): void {
    this.directories.delete(source);
    this.failures.delete(source);
    const kept = directory.staleUntil === 0 ? this.failures : this.directories;
    kept.set(source, directory);
    if (kept.size > DIRECTORIES_MAX) kept.delete(kept.keys().next().value as string);
  }
}
