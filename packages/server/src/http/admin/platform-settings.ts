import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { setPlatforms } from "../../actions/platforms/set-platforms.js";
import { showPlatformSettings } from "../../actions/sites/read-sites.js";
import type { Context } from "../../context.js";
import {
  ACCEPTED_PLATFORMS,
  acceptedBy,
  DEFAULT_SPEND_PER_DAY,
  type PlatformSettings,
} from "../../domain/platforms/settings.js";
import type { Site } from "../../domain/sites/site.js";
import { requireOk } from "../server/require-ok.js";
import { json } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireConfirmed, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";

const COUNT_MAX = 1_000_000;
const CURRENCIES_MAX = 50;

const Spend = z
  .record(
    z.string().regex(/^[A-Z]{3}$/, "must be three capital letters, such as EUR"),
    z.string().max(20),
  )
  .refine((spend) => Object.keys(spend).length <= CURRENCIES_MAX, "has too many currencies")
  .openapi({
    description: `The limit in 24 hours, by currency. For other currencies it is about ${DEFAULT_SPEND_PER_DAY} euros.`,
    example: { EUR: "500.00" },
  });
const Count = z.int().min(0).max(COUNT_MAX);
const POOL = {
  spend_per_day: Spend,
  purchases_per_hour: Count,
  purchases_per_day: Count,
  pending_reviews: Count.openapi({ description: "How many purchases can wait for review." }),
};

const SettingsBody = z
  .object({
    platforms: z.enum(ACCEPTED_PLATFORMS).openapi({
      description: "admitted: only platforms that you admitted can pay by themselves.",
    }),
    chosen: z
      .boolean()
      .openapi({ description: "false: this is the default of the site's account." }),
    pool: z.object(POOL).openapi({
      description: "The limits that all platforms you have not admitted share.",
    }),
  })
  .openapi("PlatformSettings");

const show = siteRoute("get", "/platform-settings", {
  tags: ["Platforms"],
  summary: "Show which platforms can buy",
  answer: json(SettingsBody, "The settings."),
});

const change = siteRoute("patch", "/platform-settings", {
  tags: ["Platforms"],
  summary: "Change which platforms can buy",
  description: "Members that you leave out do not change.",
  body: strict({
    platforms: z.enum(ACCEPTED_PLATFORMS).optional(),
    pool: strict(POOL).partial().optional(),
  }),
  answer: json(SettingsBody, "The settings."),
});

function render(settings: PlatformSettings, { provider }: Site): z.infer<typeof SettingsBody> {
  const { spendPerDay, purchasesPerHour, purchasesPerDay, pendingReviews } = settings.pool;
  return {
    platforms: acceptedBy(settings, provider),
    chosen: settings.accepted !== null,
    pool: {
      spend_per_day: { ...spendPerDay },
      purchases_per_hour: purchasesPerHour,
      purchases_per_day: purchasesPerDay,
      pending_reviews: pendingReviews,
    },
  };
}

export function platformSettingsRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(show, async (c) => {
    const site = await requireSite(context, c, "auditor");
    return c.json(render(await showPlatformSettings(context, site.siteKeyHash), site), 200);
  });

  app.openapi(change, async (c) => {
    const site = await requireSite(context, c, "owner");
    requireConfirmed(context, c);
    const { platforms: accepted, pool } = c.req.valid("json");
    const changes = {
      accepted,
      pool: {
        spendPerDay: pool?.spend_per_day,
        purchasesPerHour: pool?.purchases_per_hour,
        purchasesPerDay: pool?.purchases_per_day,
        pendingReviews: pool?.pending_reviews,
      },
    };
    const settings = requireOk(await setPlatforms(context, site.siteKeyHash, changes, actorOf(c)));
    return c.json(render(settings, site), 200);
  });
}
