import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { listPolicyVersions, showPolicyVersion } from "../../actions/policies/read-policies.js";
import type { Context } from "../../context.js";
import type { ListedPolicy, PublishedPolicy } from "../../domain/policies/policy.js";
import { isoTime } from "../../infra/clock.js";
import { errors, json, Timestamp } from "../server/schemas.js";
import { type AdminEnv, requireSite } from "./access.js";
import { NextCursor, PageQuery, readPlace, refused, SiteParams } from "./schemas.js";

const PATH = "/v1/admin/sites/{site_key_hash}/policy/versions";

const Digest = z.string().openapi({ description: "SHA-256 of the document's JCS text, in hex." });

export const PolicyBody = z
  .object({
    version: z.int(),
    digest: Digest,
    document: z.record(z.string(), z.unknown()),
    published_at: Timestamp,
  })
  .openapi("Policy");

const PolicyVersionItem = z
  .object({ version: z.int(), digest: Digest, published_at: Timestamp })
  .openapi("PolicyVersionItem");

export function policyBody(policy: PublishedPolicy): z.infer<typeof PolicyBody> {
  const { version, digest, document, publishedAt } = policy;
  return { version, digest, document, published_at: isoTime(publishedAt) };
}

const list = createRoute({
  method: "get",
  path: PATH,
  tags: ["Policy"],
  summary: "List the versions of a policy",
  description: "The newest first, which is the one in force.",
  request: { params: SiteParams, query: PageQuery },
  responses: {
    200: json(
      z.object({ items: z.array(PolicyVersionItem), next_cursor: NextCursor }),
      "Versions; none where nothing was published.",
    ),
    ...errors("invalid_request", "not_found"),
  },
});

const show = createRoute({
  method: "get",
  path: `${PATH}/{version}`,
  tags: ["Policy"],
  summary: "Show a version of a policy",
  description: "Every version is kept: audit records name the one they followed.",
  request: {
    params: SiteParams.extend({
      version: z
        .string()
        .regex(/^[1-9]\d{0,14}$/)
        .transform(Number)
        .openapi({ type: "integer", param: { name: "version", in: "path" } }),
    }),
  },
  responses: { 200: json(PolicyBody, "The version."), ...errors("not_found") },
});

const item = ({ version, digest, publishedAt }: ListedPolicy) => ({
  version,
  digest,
  published_at: isoTime(publishedAt),
});

export function policyVersionRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "auditor");
    const { limit, cursor } = c.req.valid("query");
    const page = { before: readPlace(cursor), limit };
    const { versions, next } = await listPolicyVersions(context, site_key_hash, page);
    const next_cursor = next === undefined ? undefined : String(next);
    return c.json({ items: versions.map(item), next_cursor }, 200);
  });

  app.openapi(show, async (c) => {
    const { site_key_hash, version } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "auditor");
    const policy = await showPolicyVersion(context, site_key_hash, version);
    return policy.ok ? c.json(policyBody(policy.value), 200) : refused(policy);
  });
}
