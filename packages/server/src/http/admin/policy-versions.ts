import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { listPolicyVersions, showPolicyVersion } from "../../actions/policies/read-policies.js";
import type { Context } from "../../context.js";
import type { ListedPolicy, PublishedPolicy } from "../../domain/policies/policy.js";
import { isoTime } from "../../infra/clock.js";
import { requireOk } from "../server/require-ok.js";
import { json, Timestamp } from "../server/schemas.js";
import { type AdminEnv, requireSite } from "./access.js";
import { pageOf, siteRoute } from "./describe.js";
import { PageQuery, readPlace, SiteParams } from "./schemas.js";

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

const list = siteRoute("get", "/policy/versions", {
  tags: ["Policy"],
  summary: "List the versions of a policy",
  description: "Newest first. The newest version is in force.",
  query: PageQuery,
  answer: pageOf(PolicyVersionItem, "The versions. Empty if no policy was published."),
});

const show = siteRoute("get", "/policy/versions/{version}", {
  tags: ["Policy"],
  summary: "Show a version of a policy",
  description: "Every version is kept, because audit records refer to it.",
  params: SiteParams.extend({
    version: z
      .string()
      .regex(/^[1-9]\d{0,14}$/)
      .transform(Number)
      .openapi({ type: "integer", param: { name: "version", in: "path" } }),
  }),
  answer: json(PolicyBody, "The version."),
});

const item = ({ version, digest, publishedAt }: ListedPolicy) => ({
  version,
  digest,
  published_at: isoTime(publishedAt),
});

export function policyVersionRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const { limit, cursor } = c.req.valid("query");
    const page = { before: readPlace(cursor), limit };
    const { versions, next } = await listPolicyVersions(context, siteKeyHash, page);
    const next_cursor = next === undefined ? undefined : String(next);
    return c.json({ items: versions.map(item), next_cursor }, 200);
  });

  app.openapi(show, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const { version } = c.req.valid("param");
    const policy = requireOk(await showPolicyVersion(context, siteKeyHash, version));
    return c.json(policyBody(policy), 200);
  });
}
