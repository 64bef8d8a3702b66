import type { OpenAPIHono } from "@hono/zod-openapi";
import { pauseSite } from "../../actions/sites/pause-site.js";
import type { Context } from "../../context.js";
import { requireOk } from "../server/require-ok.js";
import { json } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";
import { renderSite, SiteBody } from "./site-body.js";

const pause = siteRoute("post", "/pause", {
  tags: ["Sites"],
  summary: "Pause sales",
  description:
    "No new payment is authorized until you resume sales. This applies to mandates, checkouts, approved reviews, " +
    "Stripe's order approvals and payments that a buyer confirms at the bank. Skills that buy " +
    "are no longer listed. Voids, order reads and webhooks still work. Repeating the call changes nothing.",
  body: strict({}),
  answer: json(SiteBody, "The paused site."),
});

const resume = siteRoute("post", "/resume", {
  tags: ["Sites"],
  summary: "Resume sales",
  description: "Repeating the call changes nothing.",
  body: strict({}),
  answer: json(SiteBody, "The site."),
});

export function pauseRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(pause, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const site = requireOk(await pauseSite(context, siteKeyHash, "paused", actorOf(c)));
    return c.json(renderSite(site, context.config), 200);
  });

  app.openapi(resume, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const site = requireOk(await pauseSite(context, siteKeyHash, "resumed", actorOf(c)));
    return c.json(renderSite(site, context.config), 200);
  });
}
