import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { issueToken, type NewToken } from "../../actions/tokens/issue-token.js";
import { listTokens } from "../../actions/tokens/list-tokens.js";
import { listDescendants, revokeToken } from "../../actions/tokens/revoke-token.js";
import type { Context } from "../../context.js";
import {
  maySee,
  type Principal,
  ROLES,
  type Role,
  TOKEN_NAME_CHARS_MAX,
  type Token,
} from "../../domain/tokens/token.js";
import { isoTime } from "../../infra/clock.js";
import { strict } from "../server/faults.js";
import { body, errors, json, SiteKeyHash, Timestamp } from "../server/schemas.js";
import { type AdminEnv, requireRole, requireSite } from "./access.js";
import { line } from "./fields.js";
import { NextCursor, PageQuery, pageBody, refused, SiteParams } from "./schemas.js";

const SITES_MAX = 100;
const Name = line(TOKEN_NAME_CHARS_MAX);

const TokenBody = z
  .object({
    token_id: z.string(),
    name: z.string(),
    role: z.enum(ROLES),
    sites: z.array(SiteKeyHash).nullable().openapi({ description: "null: every site." }),
    created_by: z.string(),
    created_at: Timestamp,
    revoked_at: Timestamp.nullable(),
  })
  .openapi("Token");

const IssuedToken = TokenBody.extend({
  token: z.string().openapi({ description: "Shown here and never again." }),
}).openapi("IssuedToken");

const TokenPage = z.object({ items: z.array(TokenBody), next_cursor: NextCursor });

/** A token may be for several sites. A reader sees only those of them that the reader may see. */
function render(token: Token, reader: Principal): z.infer<typeof TokenBody> {
  return {
    token_id: token.tokenId,
    name: token.name,
    role: token.role,
    sites: token.sites?.filter((site) => maySee(reader, site)) ?? null,
    created_by: token.createdBy,
    created_at: isoTime(token.createdAt),
    revoked_at: token.revokedAt === null ? null : isoTime(token.revokedAt),
  };
}

const TokenParams = z.object({ token_id: z.string().max(64) });

const create = createRoute({
  method: "post",
  path: "/v1/admin/tokens",
  tags: ["Tokens"],
  summary: "Make a token",
  description:
    "For every site (role operator, or an auditor who also reads the installation's log) or for the " +
    "sites named. Needs an operator.",
  request: {
    body: body(
      strict({
        name: Name,
        role: z.enum(ROLES),
        sites: z.array(SiteKeyHash).min(1).max(SITES_MAX).optional(),
      }),
    ),
  },
  responses: {
    201: json(IssuedToken, "The token."),
    ...errors("invalid_request", "forbidden", "conflict"),
  },
});

const createForSite = createRoute({
  method: "post",
  path: "/v1/admin/sites/{site_key_hash}/tokens",
  tags: ["Tokens"],
  summary: "Make a token for one site",
  request: {
    params: SiteParams,
    body: body(strict({ name: Name, role: z.enum(["owner", "reviewer", "auditor"]) })),
  },
  responses: {
    201: json(IssuedToken, "The token."),
    ...errors("invalid_request", "forbidden", "not_found", "conflict"),
  },
});

const list = createRoute({
  method: "get",
  path: "/v1/admin/tokens",
  tags: ["Tokens"],
  summary: "List tokens",
  request: { query: PageQuery },
  responses: {
    200: json(TokenPage, "In order of creation."),
    ...errors("invalid_request", "forbidden"),
  },
});

const listForSite = createRoute({
  method: "get",
  path: "/v1/admin/sites/{site_key_hash}/tokens",
  tags: ["Tokens"],
  summary: "List the tokens of one site",
  request: { params: SiteParams, query: PageQuery },
  responses: {
    200: json(TokenPage, "In order of creation."),
    ...errors("invalid_request", "forbidden", "not_found"),
  },
});

const revoke = createRoute({
  method: "delete",
  path: "/v1/admin/tokens/{token_id}",
  tags: ["Tokens"],
  summary: "Revoke a token",
  description:
    "Takes effect at once on every node. An owner may revoke tokens of their own sites. `descendants` " +
    "also revokes every live token that was made with it, or with one of those.",
  request: {
    params: TokenParams,
    query: z.object({ descendants: z.enum(["true", "false"]).default("false") }),
  },
  responses: {
    204: { description: "Revoked." },
    ...errors("invalid_request", "forbidden", "not_found"),
  },
});

const DescendantBody = z
  .object({ token_id: z.string(), name: z.string(), role: z.enum([...ROLES, "edge"]) })
  .openapi("TokenDescendant");

const descendants = createRoute({
  method: "get",
  path: "/v1/admin/tokens/{token_id}/descendants",
  tags: ["Tokens"],
  summary: "List the live tokens that descend from a token",
  description:
    "Tokens that were made with it, or with one of those, including edge tokens. Works for a revoked token too.",
  request: { params: TokenParams },
  responses: {
    200: json(z.object({ items: z.array(DescendantBody) }), "In order of creation."),
    ...errors("forbidden", "not_found"),
  },
});

export function tokenRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  const issue = async (principal: Principal, token: NewToken) => {
    const result = await issueToken(context, principal, token);
    if (!result.ok) return refused(result);
    return { ...render(result.value.stored, principal), token: result.value.token };
  };

  app.openapi(create, async (c) => {
    const principal = requireRole(c, "operator");
    const { name, role, sites = null } = c.req.valid("json");
    return c.json(await issue(principal, { name, role, sites }), 201);
  });

  app.openapi(createForSite, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const token = { ...c.req.valid("json"), sites: [site_key_hash] };
    return c.json(await issue(c.get("principal"), token), 201);
  });

  app.openapi(list, async (c) => {
    const reader = requireRole(c, "operator");
    const page = await listTokens(context, null, c.req.valid("query"));
    return c.json(
      pageBody(page, (token) => render(token, reader)),
      200,
    );
  });

  app.openapi(listForSite, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const page = await listTokens(context, site_key_hash, c.req.valid("query"));
    return c.json(
      pageBody(page, (token) => render(token, c.get("principal"))),
      200,
    );
  });

  app.openapi(revoke, async (c) => {
    const principal = requireRole(c, "owner");
    const { token_id } = c.req.valid("param");
    const options = { descendants: c.req.valid("query").descendants === "true" };
    const result = await revokeToken(context, principal, token_id, options);
    return result.ok ? c.body(null, 204) : refused(result);
  });

  app.openapi(descendants, async (c) => {
    const principal = requireRole(c, "owner");
    const result = await listDescendants(context, principal, c.req.valid("param").token_id);
    if (!result.ok) return refused(result);
    const items = result.value.map(({ tokenId, name, role }) => ({
      token_id: tokenId,
      name,
      role: role as Role | "edge",
    }));
    return c.json({ items }, 200);
  });
}
