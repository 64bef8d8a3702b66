import { pictureUrl, type SiteAddresses, siteAddresses } from "./addresses.js";
import { NO_OFFER, type Offer } from "./offer.js";
import type { PublishedFeed } from "./published-feed.js";
import { type LiveSkill, liveSkills, type SkillSetting } from "./skills.js";

/** What a site is, as its owner set it. */
export interface SiteProfile {
  readonly siteKey: string;
  readonly siteKeyHash: string;
  readonly domain: string;
  readonly name: string;
  /** One sentence; may be empty. */
  readonly description: string;
  readonly skills: readonly SkillSetting[];
  /** What it offers to those who buy; nothing if it is left out. */
  readonly offer?: Offer;
  /** The product feeds that it publishes; none if it is left out. */
  readonly feeds?: readonly PublishedFeed[];
  /** The digest of its uploaded picture; none if it is null or left out. */
  readonly picture?: string | null;
  /** Whether control of the domain is proven; only previews are made of sites where it is not. */
  readonly verified: boolean;
  /** Whether the operator of the service confirmed the domain without a check. */
  readonly vouched?: boolean;
  /** Counts the owner's changes. */
  readonly version: number;
  /** ISO-8601 UTC time of the last change. */
  readonly changedAt: string;
}

/** Everything the documents of a site are made from: one value, so that they cannot disagree. */
export interface SiteSnapshot {
  readonly siteKey: string;
  readonly domain: string;
  readonly name: string;
  /** The owner's sentence, or one of ours; never empty. */
  readonly summary: string;
  readonly skills: readonly LiveSkill[];
  /** Whether agents can buy here now: then UCP's profile is pointed to. */
  readonly sells: boolean;
  readonly offer: Offer;
  readonly feeds: readonly PublishedFeed[];
  /** The address of its picture; null if it has none. */
  readonly imageUrl: string | null;
  readonly verified: boolean;
  readonly vouched: boolean;
  readonly version: string;
  readonly changedAt: string;
  readonly baseUrl: string;
  readonly addresses: SiteAddresses;
}

/**
 * Takes a snapshot of a site as agents may see it now.
 *
 * @example
 * const skills = [{ id: "get_pricing", enabled: true, url: "https://shop.example.com/prices" }];
 * const names = { siteKey: "sk_old-shop", siteKeyHash: "A".repeat(43) };
 * const words = { domain: "shop.example.com", name: "Fern & Petal", description: "" };
 * const facts = { verified: true, version: 3, changedAt: "2030-05-17T12:00:00.000Z" };
 * const profile = { ...names, ...words, ...facts, skills };
 * siteSnapshot(profile, "https://gate.example.com").summary; //=> "What Fern & Petal offers to AI agents."
 */
export function siteSnapshot(profile: SiteProfile, baseUrl: string): SiteSnapshot {
  const { siteKey, domain, name, description, verified, changedAt, offer = NO_OFFER } = profile;
  const { feeds = [], vouched = false, picture = null, siteKeyHash } = profile;
  return Object.freeze({
    siteKey,
    domain,
    name,
    verified,
    vouched,
    changedAt,
    baseUrl,
    offer,
    feeds,
    imageUrl: picture === null ? null : pictureUrl(baseUrl, siteKeyHash, picture),
    sells: offer.buying.length > 0,
    summary: description === "" ? `What ${name} offers to AI agents.` : description,
    skills: liveSkills(profile.skills, name, offer),
    version: `1.0.${profile.version}`,
    addresses: siteAddresses(baseUrl, profile),
  });
}

/** A flower shop, for examples and previews. */
export const EXAMPLE_SITE: SiteSnapshot = siteSnapshot(
  {
    siteKey: `us_${"A".repeat(43)}`,
    siteKeyHash: "KEaX0rO0uFd3AFKgZHMwuCl8h8Gk7GiGf6hQRIPteMk",
    domain: "shop.example.com",
    name: "Fern & Petal",
    description: "Bouquets and house plants, delivered the same day.",
    skills: [
      { id: "get_pricing", enabled: true, url: "https://shop.example.com/prices" },
      {
        id: "track_delivery",
        enabled: true,
        url: "https://shop.example.com/track",
        title: "Track a delivery",
        description: "See where a bouquet is.",
      },
    ],
    verified: true,
    version: 3,
    changedAt: "2030-05-17T12:00:00.000Z",
  },
  "https://gate.example.com",
);
