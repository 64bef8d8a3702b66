import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { issueEdgeToken } from "../../actions/tokens/issue-edge-token.js";
import { listEdgeTokens } from "../../actions/tokens/list-tokens.js";
import type { Context } from "../../context.js";
import { type EdgeToken, TOKEN_NAME_CHARS_MAX } from "../../domain/access/token.js";
import { isoTime } from "../../infra/clock.js";
import { line } from "../server/fields.js";
import { requireOk } from "../server/require-ok.js";
import { json, SiteKeyHash, Timestamp, timeOrNull } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, requireConfirmed, requireRole, requireSite } from "./access.js";
import { adminRoute, pageOf, siteRoute } from "./describe.js";
import { PageQuery, pageBody } from "./schemas.js";

const EdgeTokenBody = z
  .object({
    token_id: z.string(),
    site_key_hash: SiteKeyHash,
    name: z.string(),
    created_by: z.string(),
    created_at: Timestamp,
    revoked_at: Timestamp.nullable(),
  })
  .openapi("EdgeToken");

const IssuedEdgeToken = EdgeTokenBody.extend({
  token: z.string().openapi({ description: "Shown only once." }),
}).openapi("IssuedEdgeToken");

const create = siteRoute("post", "/edge-tokens", {
  tags: ["Tokens"],
  summary: "Create an edge token",
  description:
    "For the site's edge worker or plugin. The token can only report visits to this site. " +
    "Revoke it like any other token.",
  body: strict({ name: line(TOKEN_NAME_CHARS_MAX) }),
  created: json(IssuedEdgeToken, "The token."),
  errors: ["conflict"],
});

const list = siteRoute("get", "/edge-tokens", {
  tags: ["Tokens"],
  summary: "List the edge tokens of a site",
  query: PageQuery,
  answer: pageOf(EdgeTokenBody, "The tokens, in order of creation."),
  errors: ["forbidden"],
});

const listAll = adminRoute("get", "/v1/admin/edge-tokens", {
  tags: ["Tokens"],
  summary: "List the edge tokens of all sites",
  query: PageQuery,
  answer: pageOf(EdgeTokenBody, "The tokens, in order of creation."),
  errors: ["forbidden"],
});

function render(token: EdgeToken): z.infer<typeof EdgeTokenBody> {
  return {
    token_id: token.tokenId,
    site_key_hash: token.siteKeyHash,
    name: token.name,
    created_by: token.createdBy,
    created_at: isoTime(token.createdAt),
    revoked_at: timeOrNull(token.revokedAt),
  };
}

export function edgeTokenRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(create, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    requireConfirmed(context, c);
    const newToken = { siteKeyHash, name: c.req.valid("json").name };
    const { stored, token } = requireOk(
      await issueEdgeToken(context, c.get("principal"), newToken),
    );
    return c.json({ ...render(stored), token }, 201);
  });

  app.openapi(list, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const page = await listEdgeTokens(context, siteKeyHash, c.req.valid("query"));
    return c.json(pageBody(page, render), 200);
  });

  app.openapi(listAll, async (c) => {
    requireRole(c, "operator");
    const page = await listEdgeTokens(context, null, c.req.valid("query"));
    return c.json(pageBody(page, render), 200);
  });
}
