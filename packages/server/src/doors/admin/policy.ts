import type { JsonObject } from "@gatehouse/protocol";
import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { publishPolicy } from "../../actions/publish-policy.js";
import type { Context } from "../../context.js";
import { currentPolicy, type PublishedPolicy } from "../../owners/policies/store.js";
import { isoTime } from "../../platform/clock.js";
import { Problem } from "../../platform/http/problem.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { body, errors, json, refused, SiteParams, Timestamp } from "./schemas.js";

const PolicyBody = z
  .object({
    version: z.int(),
    digest: z.string().openapi({ description: "SHA-256 of the document's JCS text, in hex." }),
    document: z.record(z.string(), z.unknown()),
    published_at: Timestamp,
  })
  .openapi("Policy");

const show = createRoute({
  method: "get",
  path: "/v1/admin/sites/{site_key_hash}/policy",
  tags: ["Policy"],
  summary: "Show the policy in force",
  request: { params: SiteParams },
  responses: { 200: json(PolicyBody, "The newest version."), ...errors("not_found") },
});

const publish = createRoute({
  method: "put",
  path: "/v1/admin/sites/{site_key_hash}/policy",
  tags: ["Policy"],
  summary: "Check and publish a policy",
  description:
    "A document of `rules/1`. Every version is kept: audit records name the one they followed.",
  request: { params: SiteParams, body: body(z.record(z.string(), z.unknown())) },
  responses: {
    200: json(PolicyBody, "The published version."),
    ...errors("invalid_request", "forbidden", "not_found"),
  },
});

function render(policy: PublishedPolicy): z.infer<typeof PolicyBody> {
  const { version, digest, document, publishedAt } = policy;
  return { version, digest, document, published_at: isoTime(publishedAt) };
}

export function policyRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(show, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "auditor");
    const policy = await currentPolicy(context.db, site_key_hash);
    if (policy === undefined) {
      throw new Problem("not_found", { message: "The site has no policy yet." });
    }
    return c.json(render(policy), 200);
  });

  app.openapi(publish, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const document = c.req.valid("json") as JsonObject;
    const result = await publishPolicy(context, site_key_hash, document, actorOf(c));
    return result.ok ? c.json(render(result.value), 200) : refused(result);
  });
}
