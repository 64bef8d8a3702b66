import {
  type PlatformProfile,
  type ProfileFault,
  parseJson,
  type Result,
  readPlatformProfile,
  refuse,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { AddressLimiter } from "../../infra/rate-limit/address-limiter.js";
import { MINUTE_MS } from "../../infra/time.js";
import { webName } from "../../infra/web-name.js";
import type { Caller as Client } from "../server/admission/caller.js";

const PROFILE_BYTES_MAX = 262_144;
/** How long a profile is cached: the shortest time UCP allows, so that a changed key counts soon. */
const CACHE_MS = MINUTE_MS;
const CACHED_MAX = 500;
/** Profiles of one domain: a domain with many addresses replaces only its own. */
const CACHED_PER_DOMAIN_MAX = 8;
const CACHE_BYTES_MAX = 16 * 1024 * 1024;
/** Memory of a parsed profile, as a multiple of its text. */
const BYTES_PER_CHAR = 8;
const ENTRY_BYTES = 1024;
/** Hosts whose profile was read before; the oldest are removed first. */
const KNOWN_HOSTS_MAX = 10_000;

export type NoProfile =
  | ProfileFault
  | ("invalid_profile_url" | "profile_unreachable" | "rate_limited");

interface CachedProfile {
  readonly profile: Result<PlatformProfile, NoProfile>;
  readonly until: number;
  readonly bytes: number;
  readonly domain: string;
}

/**
 * Profiles of platforms, fetched when a call names them. A stranger chooses what is fetched, so each
 * source can cause a limited number of fetches.
 */
export class PlatformProfiles {
  private readonly context: Context;
  private readonly fetches: AddressLimiter;
  private readonly cache = new Map<string, CachedProfile>();
  private readonly knownHosts = new Set<string>();
  /** Fetches that are not answered yet, by network and address: no more than there are calls. */
  private readonly underWay = new Map<string, Promise<Result<PlatformProfile, NoProfile>>>();
  private bytes = 0;

  constructor(context: Context) {
    this.context = context;
    const perMinute = context.config.limits.PROFILE_FETCHES_PER_SOURCE_PER_MINUTE;
    this.fetches = new AddressLimiter({ perMinute });
  }

  async get(url: string, client: Client): Promise<Result<PlatformProfile, NoProfile>> {
    const now = this.context.clock.now();
    const cached = this.cache.get(url);
    const isFresh = cached !== undefined && cached.until > now && cached.until <= now + CACHE_MS;
    if (isFresh) return cached.profile;
    // A platform that calls often has many calls under way when its profile is due. Each network waits for
    // a separate fetch, so that nobody is refused for the limits of another.
    const key = `${client.prefix} ${url}`;
    const underWay = this.underWay.get(key);
    if (underWay !== undefined) return underWay;
    if (this.fetches.take(client.networks, now) > 0) {
      return refuse("rate_limited", "Too many profiles were requested. Try again in a minute.");
    }
    const reading = this.read(url, client).finally(() => this.underWay.delete(key));
    this.underWay.set(key, reading);
    return reading;
  }

  private async read(url: string, client: Client): Promise<Result<PlatformProfile, NoProfile>> {
    const { clock, safeFetch } = this.context;
    const { host, domain } = webName(url) ?? { host: "", domain: "" };
    const response = await safeFetch.get(url, {
      bodyBytesMax: PROFILE_BYTES_MAX,
      lane: this.knownHosts.has(host) ? "known" : "stranger",
      source: client.prefix,
    });
    if (!response.ok && response.reason === "not_allowed_url") {
      return refuse("invalid_profile_url", `The profile cannot be requested: ${response.detail}.`);
    }
    const body = response.ok && response.value.status === 200 ? response.value.body : undefined;
    if (body === undefined) {
      const fault = response.ok ? `it returned status ${response.value.status}` : response.detail;
      return refuse("profile_unreachable", `The profile could not be read: ${fault}.`);
    }
    const profile = readText(body);
    if (profile.ok) this.remember(host);
    const until = clock.now() + CACHE_MS;
    this.store(url, { profile, until, bytes: memoryOf(url, profile), domain });
    return profile;
  }

  private remember(host: string): void {
    this.knownHosts.delete(host);
    this.knownHosts.add(host);
    if (this.knownHosts.size <= KNOWN_HOSTS_MAX) return;
    this.knownHosts.delete(this.knownHosts.values().next().value as string);
  }

  private store(url: string, entry: CachedProfile): void {
    this.remove(url);
    const siblings = [...this.cache].filter(([, { domain }]) => domain === entry.domain);
    if (siblings.length >= CACHED_PER_DOMAIN_MAX)
      this.remove((siblings[0] as [string, CachedProfile])[0]);
    this.cache.set(url, entry);
    this.bytes += entry.bytes;
    while (this.cache.size > CACHED_MAX || this.bytes > CACHE_BYTES_MAX) {
      this.remove(this.cache.keys().next().value as string);
    }
  }

  private remove(url: string): void {
    this.bytes -= this.cache.get(url)?.bytes ?? 0;
    this.cache.delete(url);
  }
}

/** Estimated memory of an entry. */
function memoryOf(url: string, profile: Result<PlatformProfile, NoProfile>): number {
  return ENTRY_BYTES + BYTES_PER_CHAR * (url.length + JSON.stringify(profile).length);
}

function readText(body: Uint8Array): Result<PlatformProfile, NoProfile> {
  const parsed = parseJson(body);
  if (!parsed.ok) return refuse("profile_malformed", "The profile is not strict JSON.");
  return readPlatformProfile(parsed.value);
}
