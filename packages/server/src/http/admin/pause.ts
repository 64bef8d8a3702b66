import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { pauseSite } from "../../actions/sites/pause-site.js";
import type { Context } from "../../context.js";
import { strict } from "../server/faults.js";
import { body, errors, json } from "../server/schemas.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { refused, SiteParams } from "./schemas.js";
import { renderSite, SiteBody } from "./site-body.js";

const routeOf = <Verb extends "pause" | "resume">(
  verb: Verb,
  words: { readonly summary: string; readonly description: string; readonly done: string },
) =>
  createRoute({
    method: "post",
    path: `/v1/admin/sites/{site_key_hash}/${verb}`,
    tags: ["Sites"],
    summary: words.summary,
    description: words.description,
    request: { params: SiteParams, body: body(strict({})) },
    responses: {
      200: json(SiteBody, words.done),
      ...errors("invalid_request", "forbidden", "not_found"),
    },
  });

const pause = routeOf("pause", {
  summary: "Pause sales",
  description:
    "No new payment is authorized until sales are resumed: not for a mandate, a checkout, a review " +
    "that is approved, Stripe's order approval or a buyer who confirms to the bank. Skills that buy " +
    "are no longer advertised. Voids, order reads and webhooks go on. Repeating it changes nothing.",
  done: "The paused site.",
});

const resume = routeOf("resume", {
  summary: "Resume sales",
  description: "Ends a pause. Repeating it changes nothing.",
  done: "The site.",
});

export function pauseRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(pause, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const result = await pauseSite(context, site_key_hash, "paused", actorOf(c));
    return result.ok ? c.json(renderSite(result.value, context.config), 200) : refused(result);
  });

  app.openapi(resume, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const result = await pauseSite(context, site_key_hash, "resumed", actorOf(c));
    return result.ok ? c.json(renderSite(result.value, context.config), 200) : refused(result);
  });
}
