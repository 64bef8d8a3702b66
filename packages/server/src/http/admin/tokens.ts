import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { issueToken, type NewToken } from "../../actions/tokens/issue-token.js";
import { listTokens } from "../../actions/tokens/list-tokens.js";
import { listDescendants, revokeToken } from "../../actions/tokens/revoke-token.js";
import type { Context } from "../../context.js";
import { maySee, type Principal, ROLES, type Role } from "../../domain/access/principal.js";
import { TOKEN_DAYS_MAX, TOKEN_NAME_CHARS_MAX, type Token } from "../../domain/access/token.js";
import { isoTime } from "../../infra/clock.js";
import { line } from "../server/fields.js";
import { requireOk } from "../server/require-ok.js";
import { json, SiteKeyHash, Timestamp, timeOrNull } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, requireConfirmed, requireRole, requireSite } from "./access.js";
import { adminRoute, pageOf, siteRoute } from "./describe.js";
import { PageQuery, pageBody } from "./schemas.js";

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
    expires_at: Timestamp.nullable().openapi({ description: "null: never." }),
    revoked_at: Timestamp.nullable(),
  })
  .openapi("Token");

const IssuedToken = TokenBody.extend({
  token: z.string().openapi({ description: "Shown only once." }),
}).openapi("IssuedToken");

/** A token may be for several sites. A reader sees only those of them that the reader may see. */
const renderFor =
  (reader: Principal) =>
  (token: Token): z.infer<typeof TokenBody> => ({
    token_id: token.tokenId,
    name: token.name,
    role: token.role,
    sites: token.sites?.filter((site) => maySee(reader, site)) ?? null,
    created_by: token.createdBy,
    created_at: isoTime(token.createdAt),
    expires_at: timeOrNull(token.expiresAt),
    revoked_at: timeOrNull(token.revokedAt),
  });

const ExpiresInDays = z.int().min(1).max(TOKEN_DAYS_MAX).optional().openapi({
  description:
    "Without it, the token does not expire. A token that expires creates only tokens that expire no later.",
});

const TokenParams = z.object({ token_id: z.string().max(64) });

const create = adminRoute("post", "/v1/admin/tokens", {
  tags: ["Tokens"],
  summary: "Create a token",
  description:
    "For all sites (an operator, or an auditor who can also read the installation's log) or for the " +
    "sites in `sites`. Requires an operator token.",
  body: strict({
    name: Name,
    role: z.enum(ROLES),
    sites: z.array(SiteKeyHash).min(1).max(SITES_MAX).optional(),
    expires_in_days: ExpiresInDays,
  }),
  created: json(IssuedToken, "The token."),
  errors: ["conflict"],
});

const createForSite = siteRoute("post", "/tokens", {
  tags: ["Tokens"],
  summary: "Create a token for one site",
  body: strict({
    name: Name,
    role: z.enum(["owner", "reviewer", "auditor"]),
    expires_in_days: ExpiresInDays,
  }),
  created: json(IssuedToken, "The token."),
  errors: ["conflict"],
});

const list = adminRoute("get", "/v1/admin/tokens", {
  tags: ["Tokens"],
  summary: "List tokens",
  query: PageQuery,
  answer: pageOf(TokenBody, "The tokens, in order of creation."),
  errors: ["forbidden"],
});

const listForSite = siteRoute("get", "/tokens", {
  tags: ["Tokens"],
  summary: "List the tokens of one site",
  query: PageQuery,
  answer: pageOf(TokenBody, "The tokens, in order of creation."),
  errors: ["forbidden"],
});

const revoke = adminRoute("delete", "/v1/admin/tokens/{token_id}", {
  tags: ["Tokens"],
  summary: "Revoke a token",
  description:
    "Takes effect immediately on every node. An owner can revoke tokens for their sites. `descendants` " +
    "also revokes every live token that was created with it, directly or indirectly.",
  params: TokenParams,
  query: z.object({ descendants: z.enum(["true", "false"]).default("false") }),
  noContent: "The token was revoked.",
});

const DescendantBody = z
  .object({ token_id: z.string(), name: z.string(), role: z.enum([...ROLES, "edge"]) })
  .openapi("TokenDescendant");

const descendants = adminRoute("get", "/v1/admin/tokens/{token_id}/descendants", {
  tags: ["Tokens"],
  summary: "List the live tokens created with a token",
  description:
    "Tokens that were created with it, directly or indirectly, including edge tokens. Also works for a revoked token.",
  params: TokenParams,
  answer: json(z.object({ items: z.array(DescendantBody) }), "The tokens, in order of creation."),
  errors: ["forbidden"],
});

export function tokenRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  const issue = async (principal: Principal, newToken: NewToken) => {
    const { stored, token } = requireOk(await issueToken(context, principal, newToken));
    return { ...renderFor(principal)(stored), token };
  };

  app.openapi(create, async (c) => {
    const principal = requireRole(c, "operator");
    requireConfirmed(context, c);
    const { name, role, sites = null, expires_in_days: days } = c.req.valid("json");
    return c.json(await issue(principal, { name, role, sites, days }), 201);
  });

  app.openapi(createForSite, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    requireConfirmed(context, c);
    const { name, role, expires_in_days: days } = c.req.valid("json");
    const token = { name, role, sites: [siteKeyHash], days };
    return c.json(await issue(c.get("principal"), token), 201);
  });

  app.openapi(list, async (c) => {
    const reader = requireRole(c, "operator");
    const page = await listTokens(context, null, c.req.valid("query"));
    return c.json(pageBody(page, renderFor(reader)), 200);
  });

  app.openapi(listForSite, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const page = await listTokens(context, siteKeyHash, c.req.valid("query"));
    return c.json(pageBody(page, renderFor(c.get("principal"))), 200);
  });

  app.openapi(revoke, async (c) => {
    const principal = requireRole(c, "owner");
    requireConfirmed(context, c);
    const { token_id } = c.req.valid("param");
    const options = { descendants: c.req.valid("query").descendants === "true" };
    requireOk(await revokeToken(context, principal, token_id, options));
    return c.body(null, 204);
  });

  app.openapi(descendants, async (c) => {
    const principal = requireRole(c, "owner");
    const { token_id } = c.req.valid("param");
    const tokens = requireOk(await listDescendants(context, principal, token_id));
    const items = tokens.map(({ tokenId, name, role }) => ({
      token_id: tokenId,
      name,
      role: role as Role | "edge",
    }));
    return c.json({ items }, 200);
  });
}
