import {
  isLegacySiteKey,
  ok,
  type Result,
  refuse,
  siteKeyFrom,
  siteKeyHash,
  toBase64url,
} from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { readDomain } from "../owners/sites/domain.js";
import { PROOF_TOKEN_BYTES, type Site, unproven } from "../owners/sites/site.js";
import { insertSite, siteKeyTaken } from "../owners/sites/store.js";

const SITE_KEY_BYTES = 32;

export interface NewSite {
  readonly domain: string;
  readonly name: string;
  readonly description?: string | undefined;
  /** A key of the older kind to keep using; absent: a new one is made. */
  readonly site_key?: string | undefined;
}

/** Takes a site on, pending until somebody proves control of its domain. */
export async function createSite(
  { config, clock, ids, db }: Context,
  input: NewSite,
): Promise<Result<Site, "invalid_request" | "conflict">> {
  const domain = readDomain(input.domain, { development: config.mode === "development" });
  if (!domain.ok) return refuse("invalid_request", `domain: ${domain.detail}.`);
  if (input.site_key !== undefined && !isLegacySiteKey(input.site_key)) {
    return refuse(
      "invalid_request",
      "site_key: an older key is sk_ and 8 to 120 letters, digits, - or _.",
    );
  }
  const siteKey = input.site_key ?? siteKeyFrom(ids.bytes(SITE_KEY_BYTES));
  const now = clock.now();
  const site: Site = {
    siteKey,
    siteKeyHash: await siteKeyHash(siteKey),
    domain: domain.value,
    name: input.name,
    description: input.description ?? "",
    skills: [],
    status: "pending",
    version: 1,
    verification: unproven(toBase64url(ids.bytes(PROOF_TOKEN_BYTES))),
    createdAt: now,
    changedAt: now,
  };
  return db.transaction(async (tx) => {
    if (await siteKeyTaken(tx, site)) {
      return refuse("conflict", "A site with this key exists or has existed here.");
    }
    await insertSite(tx, site);
    return ok(site);
  });
}
