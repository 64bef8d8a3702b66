import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { issueEdgeToken } from "../../actions/tokens/issue-edge-token.js";
import { listEdgeTokens } from "../../actions/tokens/list-tokens.js";
import type { Context } from "../../context.js";
import type { EdgeToken } from "../../domain/tokens/token.js";
import { TOKEN_NAME_CHARS_MAX } from "../../domain/tokens/token.js";
import { isoTime } from "../../infra/clock.js";
import { strict } from "../server/faults.js";
import { body, errors, json, SiteKeyHash, Timestamp } from "../server/schemas.js";
import { type AdminEnv, requireRole, requireSite } from "./access.js";
import { line } from "./fields.js";
import { NextCursor, PageQuery, pageBody, refused, SiteParams } from "./schemas.js";

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
  token: z.string().openapi({ description: "Shown here and never again." }),
}).openapi("IssuedEdgeToken");

const create = createRoute({
  method: "post",
  path: "/v1/admin/sites/{site_key_hash}/edge-tokens",
  tags: ["Tokens"],
  summary: "Make an edge token",
  description:
    "For the site's edge worker or plugin. It may report visits of this site, and nothing else. " +
    "Revoked like any other token.",
  request: {
    params: SiteParams,
    body: body(strict({ name: line(TOKEN_NAME_CHARS_MAX) })),
  },
  responses: {
    201: json(IssuedEdgeToken, "The token."),
    ...errors("invalid_request", "forbidden", "not_found", "conflict"),
  },
});

const list = createRoute({
  method: "get",
  path: "/v1/admin/sites/{site_key_hash}/edge-tokens",
  tags: ["Tokens"],
  summary: "List the edge tokens of a site",
  request: { params: SiteParams, query: PageQuery },
  responses: {
    200: json(
      z.object({ items: z.array(EdgeTokenBody), next_cursor: NextCursor }),
      "In order of creation.",
    ),
    ...errors("invalid_request", "forbidden", "not_found"),
  },
});

const listAll = createRoute({
  method: "get",
  path: "/v1/admin/edge-tokens",
  tags: ["Tokens"],
  summary: "List the edge tokens of all sites",
  request: { query: PageQuery },
  responses: {
    200: json(
      z.object({ items: z.array(EdgeTokenBody), next_cursor: NextCursor }),
      "In order of creation.",
    ),
    ...errors("invalid_request", "forbidden"),
  },
});

function render(token: EdgeToken): z.infer<typeof EdgeTokenBody> {
  return {
    token_id: token.tokenId,
    site_key_hash: token.siteKeyHash,
    name: token.name,
    created_by: token.createdBy,
    created_at: isoTime(token.createdAt),
    revoked_at: token.revokedAt === null ? null : isoTime(token.revokedAt),
  };
}

export function edgeTokenRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(create, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const token = { siteKeyHash: site_key_hash, name: c.req.valid("json").name };
    const result = await issueEdgeToken(context, c.get("principal"), token);
    if (!result.ok) return refused(result);
    return c.json({ ...render(result.value.stored), token: result.value.token }, 201);
  });

  app.openapi(list, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const page = await listEdgeTokens(context, site_key_hash, c.req.valid("query"));
    return c.json(pageBody(page, render), 200);
  });

  app.openapi(listAll, async (c) => {
    requireRole(c, "operator");
    const page = await listEdgeTokens(context, null, c.req.valid("query"));
    return c.json(pageBody(page, render), 200);
  });
}
