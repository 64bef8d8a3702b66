import {
  ok,
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
/** How long a profile is believed: the shortest UCP allows, so that a changed key counts soon. */
const KEPT_MS = MINUTE_MS;
const KEPT_MAX = 500;
/** Profiles of one domain: a domain with many addresses pushes out only its own. */
const KEPT_PER_DOMAIN_MAX = 8;
const KEPT_BYTES_MAX = 16 * 1024 * 1024;
/** Memory of a parsed profile, as a multiple of its text. */
const BYTES_PER_CHAR = 8;
const ENTRY_BYTES = 1024;
/** Hosts whose profile was read before; the oldest are removed first. */
const KNOWN_HOSTS_MAX = 10_000;

export type NoProfile =
  | ProfileFault
  | ("invalid_profile_url" | "profile_unreachable" | "rate_limited");

interface Kept {
  readonly profile: Result<PlatformProfile, NoProfile>;
  readonly until: number;
  readonly bytes: number;
  readonly domain: string;
}

/**
 * Profiles of platforms, fetched when a call names them. One source may have us fetch only so many:
 * what we fetch is what a stranger says.
 */
export class PlatformProfiles {
  private readonly context: Context;
  private readonly fetches: AddressLimiter;
  private readonly kept = new Map<string, Kept>();
  private readonly knownHosts = new Set<string>();
  private bytes = 0;

  constructor(context: Context) {
    this.context = context;
    const perMinute = context.config.limits.PROFILE_FETCHES_PER_SOURCE_PER_MINUTE;
    this.fetches = new AddressLimiter({ perMinute });
  }

  async get(url: string, client: Client): Promise<Result<PlatformProfile, NoProfile>> {
    const now = this.context.clock.now();
    const kept = this.kept.get(url);
    if (kept !== undefined && kept.until > now && kept.until <= now + KEPT_MS) return kept.profile;
    if (this.fetches.take(client.networks, now) > 0) {
      return refuse("rate_limited", "Too many profiles were asked for. Try again in a minute.");
    }
    return this.read(url, client);
  }

  private async read(url: string, client: Client): Promise<Result<PlatformProfile, NoProfile>> {
    const { clock, safeFetch } = this.context;
    const { host, domain } = webName(url) ?? { host: "", domain: "" };
    const found = await safeFetch.get(url, {
      bodyBytesMax: PROFILE_BYTES_MAX,
      lane: this.knownHosts.has(host) ? "known" : "stranger",
      source: client.prefix,
    });
    if (!found.ok && found.reason === "not_allowed_url") {
      return refuse("invalid_profile_url", `The profile cannot be asked for: ${found.detail}.`);
    }
    const body = found.ok && found.value.status === 200 ? found.value.body : undefined;
    if (body === undefined) {
      const why = found.ok ? `it answers ${found.value.status}` : found.detail;
      return refuse("profile_unreachable", `The profile could not be read: ${why}.`);
    }
    const profile = readText(body);
    if (profile.ok) this.remember(host);
    const until = clock.now() + KEPT_MS;
    this.keep(url, { profile, until, bytes: memoryOf(url, profile), domain });
    return profile;
  }

  private remember(host: string): void {
    this.knownHosts.delete(host);
    this.knownHosts.add(host);
    if (this.knownHosts.size <= KNOWN_HOSTS_MAX) return;
    this.knownHosts.delete(this.knownHosts.values().next().value as string);
  }

  private keep(url: string, kept: Kept): void {
    this.forget(url);
    const siblings = [...this.kept].filter(([, { domain }]) => domain === kept.domain);
    if (siblings.length >= KEPT_PER_DOMAIN_MAX) this.forget((siblings[0] as [string, Kept])[0]);
    this.kept.set(url, kept);
    this.bytes += kept.bytes;
    while (this.kept.size > KEPT_MAX || this.bytes > KEPT_BYTES_MAX) {
      this.forget(this.kept.keys().next().value as string);
    }
  }

  private forget(url: string): void {
    this.bytes -= this.kept.get(url)?.bytes ?? 0;
    this.kept.delete(url);
  }
}

/** Estimated memory of an entry. */
function memoryOf(url: string, profile: Result<PlatformProfile, NoProfile>): number {
  return ENTRY_BYTES + BYTES_PER_CHAR * (url.length + JSON.stringify(profile).length);
}

function readText(body: Uint8Array): Result<PlatformProfile, NoProfile> {
  const parsed = parseJson(body);
  if (!parsed.ok) return refuse("profile_malformed", "The profile is not strict JSON.");
  const profile = readPlatformProfile(parsed.value);
  return profile.ok ? ok(profile.value) : profile;
}
