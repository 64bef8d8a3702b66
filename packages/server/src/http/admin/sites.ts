import { UCP_VERSIONS } from "@gatehouse/protocol";
import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { setSitePicture } from "../../actions/pictures/set-picture.js";
import { changeSite } from "../../actions/sites/change-site.js";
import { createSite } from "../../actions/sites/create-site.js";
import { deleteSite } from "../../actions/sites/delete-site.js";
import { listSites } from "../../actions/sites/read-sites.js";
import { verifySite } from "../../actions/sites/verify-site.js";
import type { Context } from "../../context.js";
import { AUDIT_PUBLIC, type Site, VERIFICATION_METHODS } from "../../domain/sites/site.js";
import { line } from "../server/fields.js";
import { Problem } from "../server/problem.js";
import { requireOk } from "../server/require-ok.js";
import { json } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireConfirmed, requireRole, requireSite } from "./access.js";
import { adminRoute, pageOf, siteRoute } from "./describe.js";
import { PageQuery, pageBody } from "./schemas.js";
import {
  Domain,
  PublishedFeedsBody,
  renderSite,
  SiteBody,
  SiteDescription,
  SiteName,
} from "./site-body.js";

const REASON_CHARS_MAX = 500;

const create = adminRoute("post", "/v1/admin/sites", {
  tags: ["Sites"],
  summary: "Add a site",
  description: "The site is pending until its domain is verified. Requires an operator token.",
  body: strict({
    domain: Domain,
    name: SiteName,
    description: SiteDescription.optional(),
    site_key: z
      .string()
      .max(128)
      .optional()
      .openapi({ description: "An existing site key (`sk_…`) to use." }),
  }),
  created: json(SiteBody, "The new site."),
  errors: ["conflict"],
});

const list = adminRoute("get", "/v1/admin/sites", {
  tags: ["Sites"],
  summary: "List the sites that this token can see",
  query: PageQuery.extend({ domain: Domain.optional() }),
  answer: pageOf(SiteBody, "The sites, in order of creation."),
});

const show = siteRoute("get", "", {
  tags: ["Sites"],
  summary: "Show a site",
  answer: json(SiteBody, "The site."),
});

const change = siteRoute("patch", "", {
  tags: ["Sites"],
  summary: "Change a site",
  description: "With a new domain, the site is pending again and gets a new verification token.",
  body: strict({
    domain: Domain.optional(),
    name: SiteName.optional(),
    description: SiteDescription.optional(),
    audit_public: z.enum(AUDIT_PUBLIC).optional(),
    ucp_version: z.enum(UCP_VERSIONS).optional(),
    published_feeds: PublishedFeedsBody.optional(),
  }),
  answer: json(SiteBody, "The changed site."),
  errors: ["conflict"],
});

const removePicture = siteRoute("delete", "/picture", {
  tags: ["Sites"],
  summary: "Remove the picture of the shop",
  answer: json(SiteBody, "The site without a picture."),
  errors: ["conflict"],
});

const remove = siteRoute("delete", "", {
  tags: ["Sites"],
  summary: "Delete a site",
  description:
    "Its key is never used again. For 90 days, a repeated mandate still gets its earlier " +
    "answer. Not possible while the outcome of a payment is unknown. Requires an operator token.",
  noContent: "The site was deleted.",
  errors: ["conflict"],
});

const verify = siteRoute("post", "/verify", {
  tags: ["Sites"],
  summary: "Verify the site's domain",
  description:
    "Checks the proof now. If two sites have the same domain, the newer verification makes the older site " +
    "pending again. With the method `operator`, an operator confirms the domain and gives a reason.",
  body: strict({
    method: z.enum(VERIFICATION_METHODS),
    reason: line(REASON_CHARS_MAX).optional(),
  }),
  answer: json(SiteBody, "The verified site."),
  errors: ["conflict", "verification_failed"],
});

export function siteRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  const render = (site: Site) => renderSite(site, context.config);

  app.openapi(create, async (c) => {
    requireRole(c, "operator");
    const site = requireOk(await createSite(context, c.req.valid("json"), actorOf(c)));
    return c.json(render(site), 201);
  });

  app.openapi(list, async (c) => {
    const { domain, ...query } = c.req.valid("query");
    const page = await listSites(context, c.get("principal"), domain, query);
    return c.json(pageBody(page, render), 200);
  });

  app.openapi(show, async (c) => {
    return c.json(render(await requireSite(context, c, "auditor")), 200);
  });

  app.openapi(change, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const site = requireOk(await changeSite(context, siteKeyHash, c.req.valid("json"), actorOf(c)));
    return c.json(render(site), 200);
  });

  app.openapi(removePicture, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const site = requireOk(await setSitePicture(context, siteKeyHash, null, actorOf(c)));
    return c.json(render(site), 200);
  });

  app.openapi(remove, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "operator");
    requireConfirmed(context, c);
    requireOk(await deleteSite(context, siteKeyHash, actorOf(c)));
    return c.body(null, 204);
  });

  app.openapi(verify, async (c) => {
    const { method, reason } = c.req.valid("json");
    const role = method === "operator" ? "operator" : "owner";
    const { siteKeyHash } = await requireSite(context, c, role);
    if ((method === "operator") !== (reason !== undefined)) {
      throw new Problem("invalid_request", {
        message: "reason: required for the method operator, and not allowed for others.",
      });
    }
    // The word of a person takes the place of a proof.
    if (method === "operator") requireConfirmed(context, c);
    const verification = { method, reason: reason ?? null };
    const site = requireOk(await verifySite(context, siteKeyHash, verification, actorOf(c)));
    return c.json(render(site), 200);
  });
}
