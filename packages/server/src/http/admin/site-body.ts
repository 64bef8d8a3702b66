import { PUBLISHED_FEEDS, pictureUrl, siteAddresses, UCP_VERSIONS } from "@gatehouse/protocol";
import { z } from "@hono/zod-openapi";
import type { Config } from "../../config/config.js";
import { proofInstructions } from "../../domain/sites/proof.js";
import {
  AUDIT_PUBLIC,
  CONDITIONS,
  SITE_DESCRIPTION_CHARS_MAX,
  SITE_NAME_CHARS_MAX,
  type Site,
  VERIFICATION_METHODS,
} from "../../domain/sites/site.js";
import { isoTime } from "../../infra/clock.js";
import { line } from "../server/fields.js";
import { SiteKeyHash, Timestamp, timeOrNull } from "../server/schemas.js";
import { SkillBody } from "./skills.js";

export const SiteName = line(SITE_NAME_CHARS_MAX).openapi({ example: "Fern & Petal" });
export const SiteDescription = z.union([z.literal(""), line(SITE_DESCRIPTION_CHARS_MAX)]);
export const Domain = z.string().min(1).max(253).openapi({ example: "shop.example.com" });

export const PublishedFeedsBody = z
  .strictObject({
    formats: z
      .array(z.enum(PUBLISHED_FEEDS))
      .max(PUBLISHED_FEEDS.length)
      .refine((names) => new Set(names).size === names.length, "must not name a feed twice")
      .openapi({ description: "The product feeds that anybody can read. Empty: none." }),
    condition: z.enum(CONDITIONS).openapi({ description: "The condition of all products." }),
  })
  .openapi("PublishedFeeds");

export const SiteBody = z
  .object({
    site_key: z.string(),
    site_key_hash: SiteKeyHash,
    domain: z.string(),
    name: z.string(),
    description: z.string(),
    picture_url: z.string().nullable().openapi({
      description: "The picture of the shop on its public page. null if it has none.",
    }),
    skills: z.array(SkillBody),
    status: z.enum(["pending", "verified"]),
    audit_public: z
      .enum(AUDIT_PUBLIC)
      .openapi({ description: "Who can see the audit log's checkpoints." }),
    ucp_version: z.enum(UCP_VERSIONS).openapi({
      description: "The UCP version of the profile at the root of the domain.",
    }),
    published_feeds: PublishedFeedsBody,
    google_feed_url: z.string().openapi({ description: "Available while the feed is published." }),
    acp_feed_url: z.string().openapi({ description: "Available while the feed is published." }),
    paused_at: Timestamp.nullable().openapi({
      description: "When sales were paused. null if they are not paused.",
    }),
    version: z.int(),
    agent_page_url: z.string().openapi({ description: "Available after the domain is verified." }),
    mcp_url: z
      .string()
      .openapi({ description: "The site's MCP server, available after the domain is verified." }),
    verification: z.object({
      token: z.string(),
      method: z.enum(VERIFICATION_METHODS).nullable(),
      reason: z.string().nullable(),
      verified_at: Timestamp.nullable(),
      checked_at: Timestamp.nullable(),
      failed_days: z.int(),
      problem: z.string().nullable(),
      dns: z.object({ name: z.string(), type: z.string(), value: z.string() }),
      file: z.object({ url: z.string(), content: z.string() }),
      meta: z.object({ url: z.string(), tag: z.string() }),
    }),
    created_at: Timestamp,
    changed_at: Timestamp,
  })
  .openapi("Site");

export function renderSite(
  site: Site,
  { baseUrl, fetchAllow }: Pick<Config, "baseUrl" | "fetchAllow">,
): z.infer<typeof SiteBody> {
  const { verification: proof } = site;
  const addresses = siteAddresses(baseUrl, site);
  return {
    site_key: site.siteKey,
    site_key_hash: site.siteKeyHash,
    domain: site.domain,
    name: site.name,
    description: site.description,
    picture_url: site.picture === null ? null : pictureUrl(baseUrl, site.siteKeyHash, site.picture),
    skills: [...site.skills],
    status: site.status,
    audit_public: site.auditPublic,
    ucp_version: site.ucpVersion,
    published_feeds: { ...site.publishedFeeds, formats: [...site.publishedFeeds.formats] },
    google_feed_url: addresses.googleFeed,
    acp_feed_url: addresses.acpFeed,
    paused_at: timeOrNull(site.pausedAt),
    version: site.version,
    agent_page_url: addresses.agentPage,
    mcp_url: addresses.mcp,
    verification: {
      token: proof.token,
      method: proof.method,
      reason: proof.reason,
      verified_at: timeOrNull(proof.verifiedAt),
      checked_at: timeOrNull(proof.checkedAt),
      failed_days: proof.failedDays,
      problem: proof.problem,
      ...proofInstructions(site, fetchAllow),
    },
    created_at: isoTime(site.createdAt),
    changed_at: isoTime(site.changedAt),
  };
}
