import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { changeSite } from "../../actions/sites/change-site.js";
import { createSite } from "../../actions/sites/create-site.js";
import { deleteSite } from "../../actions/sites/delete-site.js";
import { listSites } from "../../actions/sites/read-sites.js";
import { verifySite } from "../../actions/sites/verify-site.js";
import type { Context } from "../../context.js";
import { AUDIT_PUBLIC, type Site, VERIFICATION_METHODS } from "../../domain/sites/site.js";
import { strict } from "../server/faults.js";
import { Problem } from "../server/problem.js";
import { body, errors, json } from "../server/schemas.js";
import { type AdminEnv, actorOf, requireRole, requireSite } from "./access.js";
import { line } from "./fields.js";
import { NextCursor, PageQuery, pageBody, refused, SiteParams } from "./schemas.js";
import { Domain, renderSite, SiteBody, SiteDescription, SiteName } from "./site-body.js";

const REASON_CHARS_MAX = 500;

const create = createRoute({
  method: "post",
  path: "/v1/admin/sites",
  tags: ["Sites"],
  summary: "Take a site on",
  description: "The site is pending until control of its domain is proven. Needs an operator.",
  request: {
    body: body(
      strict({
        domain: Domain,
        name: SiteName,
        description: SiteDescription.optional(),
        site_key: z
          .string()
          .max(128)
          .optional()
          .openapi({ description: "An older key (`sk_…`) to keep using." }),
      }),
    ),
  },
  responses: {
    201: json(SiteBody, "The new site."),
    ...errors("invalid_request", "forbidden", "conflict"),
  },
});

const list = createRoute({
  method: "get",
  path: "/v1/admin/sites",
  tags: ["Sites"],
  summary: "List sites this token may see",
  request: { query: PageQuery.extend({ domain: Domain.optional() }) },
  responses: {
    200: json(
      z.object({ items: z.array(SiteBody), next_cursor: NextCursor }),
      "In order of creation.",
    ),
    ...errors("invalid_request"),
  },
});

const show = createRoute({
  method: "get",
  path: "/v1/admin/sites/{site_key_hash}",
  tags: ["Sites"],
  summary: "Show a site",
  request: { params: SiteParams },
  responses: { 200: json(SiteBody, "The site."), ...errors("not_found") },
});

const change = createRoute({
  method: "patch",
  path: "/v1/admin/sites/{site_key_hash}",
  tags: ["Sites"],
  summary: "Change a site",
  description: "Another domain sends the site back to pending, with a new verification token.",
  request: {
    params: SiteParams,
    body: body(
      strict({
        domain: Domain.optional(),
        name: SiteName.optional(),
        description: SiteDescription.optional(),
        audit_public: z.enum(AUDIT_PUBLIC).optional(),
      }),
    ),
  },
  responses: {
    200: json(SiteBody, "The changed site."),
    ...errors("invalid_request", "forbidden", "not_found", "conflict"),
  },
});

const remove = createRoute({
  method: "delete",
  path: "/v1/admin/sites/{site_key_hash}",
  tags: ["Sites"],
  summary: "Delete a site",
  description:
    "Its key is never given out again. For 90 days a mandate that was decided before still gets its " +
    "answer. Refused while the outcome of a payment is not known. Needs an operator.",
  request: { params: SiteParams },
  responses: { 204: { description: "Deleted." }, ...errors("forbidden", "not_found", "conflict") },
});

const verify = createRoute({
  method: "post",
  path: "/v1/admin/sites/{site_key_hash}/verify",
  tags: ["Sites"],
  summary: "Verify the site's domain",
  description:
    "Looks for the proof now. A newer verification of a domain sends an older site of it back to " +
    "pending. The method `operator` takes an operator's word and needs a reason.",
  request: {
    params: SiteParams,
    body: body(
      strict({
        method: z.enum(VERIFICATION_METHODS),
        reason: line(REASON_CHARS_MAX).optional(),
      }),
    ),
  },
  responses: {
    200: json(SiteBody, "The verified site."),
    ...errors("invalid_request", "forbidden", "not_found", "conflict", "verification_failed"),
  },
});

export function siteRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  const render = (site: Site) => renderSite(site, context.config);

  app.openapi(create, async (c) => {
    requireRole(c, "operator");
    const result = await createSite(context, c.req.valid("json"), actorOf(c));
    return result.ok ? c.json(render(result.value), 201) : refused(result);
  });

  app.openapi(list, async (c) => {
    const { domain, ...query } = c.req.valid("query");
    const page = await listSites(context, c.get("principal"), domain, query);
    return c.json(pageBody(page, render), 200);
  });

  app.openapi(show, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    return c.json(render(await requireSite(context, c, site_key_hash, "auditor")), 200);
  });

  app.openapi(change, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const result = await changeSite(context, site_key_hash, c.req.valid("json"), actorOf(c));
    return result.ok ? c.json(render(result.value), 200) : refused(result);
  });

  app.openapi(remove, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "operator");
    const result = await deleteSite(context, site_key_hash, actorOf(c));
    return result.ok ? c.body(null, 204) : refused(result);
  });

  app.openapi(verify, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    const { method, reason } = c.req.valid("json");
    await requireSite(context, c, site_key_hash, method === "operator" ? "operator" : "owner");
    if ((method === "operator") !== (reason !== undefined)) {
      throw new Problem("invalid_request", {
        message: "reason: the method operator needs one, the others take none.",
      });
    }
    const verification = { method, reason: reason ?? null };
    const result = await verifySite(context, site_key_hash, verification, actorOf(c));
    return result.ok ? c.json(render(result.value), 200) : refused(result);
  });
}
