import {
  isLegacySiteKey,
  ok,
  type Result,
  refuse,
  siteKeyFrom,
  siteKeyHash,
  toBase64url,
  UCP_VERSION,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Actor } from "../../domain/audit/drafts.js";
import { readDomain } from "../../domain/sites/domain.js";
import { NO_FEEDS, PROOF_TOKEN_BYTES, type Site, unproven } from "../../domain/sites/site.js";
import { insertSite, siteKeyTaken } from "../../domain/sites/store.js";
import { siteChange } from "./site-change.js";

const SITE_KEY_BYTES = 32;

export interface NewSite {
  readonly domain: string;
  readonly name: string;
  readonly description?: string | undefined;
  /** An older key to keep using. If absent, a new key is made. */
  readonly site_key?: string | undefined;
}

/** Creates a site. It is pending until somebody proves control of its domain. */
export async function createSite(
  { config, clock, ids, audit }: Context,
  input: NewSite,
  actor: Actor,
): Promise<Result<Site, "invalid_request" | "conflict">> {
  const domain = readDomain(input.domain, { development: config.mode === "development" });
  if (!domain.ok) return refuse("invalid_request", `domain: ${domain.detail}.`);
  if (input.site_key !== undefined && !isLegacySiteKey(input.site_key)) {
    return refuse("invalid_request", "site_key: must be sk_ and 8 to 120 letters, digits, - or _.");
  }
  const siteKey = input.site_key ?? siteKeyFrom(ids.bytes(SITE_KEY_BYTES));
  const now = clock.now();
  const site: Site = {
    siteKey,
    siteKeyHash: await siteKeyHash(siteKey),
    domain: domain.value,
    name: input.name,
    description: input.description ?? "",
    picture: null,
    skills: [],
    auditPublic: "full",
    provider: null,
    policyPublished: false,
    ucpVersion: UCP_VERSION,
    publishedFeeds: NO_FEEDS,
    hourStartMinute: 0,
    pausedAt: null,
    status: "pending",
    version: 1,
    verification: unproven(toBase64url(ids.bytes(PROOF_TOKEN_BYTES))),
    createdAt: now,
    changedAt: now,
  };
  type Answer = Result<Site, "conflict">;
  const { answer } = await audit.commit<Answer>(site.siteKeyHash, async (tx) => {
    if (await siteKeyTaken(tx, site)) {
      const why = "This key is or was used by another site of this installation.";
      return { records: [], answer: refuse("conflict", why) };
    }
    await insertSite(tx, site);
    return { records: [await siteChange("created", site, { actor, now })], answer: ok(site) };
  });
  return answer;
}
