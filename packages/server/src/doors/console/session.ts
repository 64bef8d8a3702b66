import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { deleteCookie, setCookie } from "hono/cookie";
import type { Context } from "../../context.js";
import { ROLES } from "../../owners/tokens/token.js";
import { isoTime } from "../../platform/clock.js";
import type { HttpEnv } from "../../platform/http/env.js";
import { Problem } from "../../platform/http/problem.js";
import { body, errors, json, SiteKeyHash, Timestamp } from "../admin/schemas.js";
import { principalOf } from "../principal.js";
import { requireOwnPage, SESSION_COOKIE, sessionSecret } from "./own-page.js";

const SECRET_CHARS_MAX = 300;
const path = "/v1/console/session";
const tags = ["Console"];

const SessionBody = z
  .object({
    token_id: z.string(),
    role: z.enum(ROLES),
    sites: z.array(SiteKeyHash).nullable().openapi({ description: "null: every site." }),
    expires_at: Timestamp,
  })
  .openapi("ConsoleSession");

const signIn = createRoute({
  ...{ method: "post", path, tags, summary: "Sign in at the console" },
  description: "With the code of a link from the terminal, once, or with a token.",
  request: {
    body: body(
      z.union([
        z.strictObject({ code: z.string().min(1).max(SECRET_CHARS_MAX) }),
        z.strictObject({ token: z.string().min(1).max(SECRET_CHARS_MAX) }),
      ]),
    ),
  },
  responses: {
    201: json(SessionBody, "Who is signed in; the session is in a cookie."),
    ...errors("invalid_request", "forbidden"),
  },
});

const show = createRoute({
  ...{ method: "get", path, tags, summary: "Show who is signed in" },
  responses: { 200: json(SessionBody, "Who is signed in."), ...errors("forbidden") },
});

const signOut = createRoute({
  ...{ method: "delete", path, tags, summary: "Sign out" },
  responses: { 204: { description: "Nobody is signed in any more." }, ...errors("forbidden") },
});

const COOKIE = { path: "/", secure: true, httpOnly: true, sameSite: "Strict" } as const;

/** `/v1/console/session`: what stands between a browser and the owner's desk. */
export function sessionRoutes(routes: OpenAPIHono<HttpEnv>, context: Context): void {
  const { consoleDesk } = context;
  routes.use(path, async (c, next) => {
    if (c.req.method !== "OPTIONS") requireOwnPage(c.req, context.config.baseUrl);
    c.header("cache-control", "no-store");
    await next();
  });

  routes.openapi(signIn, async (c) => {
    const given = c.req.valid("json");
    const { address } = c.get("connection");
    // Whoever signs in anew leaves what the browser had before: nobody can have planted it.
    const before = sessionSecret(c.req);
    let opened: Awaited<ReturnType<typeof consoleDesk.openFor>>;
    if ("code" in given) {
      const result = await consoleDesk.openWithCode(given.code, address);
      if (!result.ok && result.reason === "rate_limited") {
        throw new Problem("rate_limited", { headers: { "retry-after": result.detail } });
      }
      if (!result.ok)
        throw new Problem("unauthorized", { message: `Not signed in: ${result.detail}.` });
      opened = result.value;
    } else {
      const principal = await principalOf(context, `Bearer ${given.token}`, address);
      if (principal === undefined) throw new Problem("unauthorized");
      opened = await consoleDesk.openFor(principal);
    }
    if (before !== undefined) await consoleDesk.end(before);
    const { expiresAt } = opened.session;
    const maxAge = Math.floor((expiresAt - context.clock.now()) / 1000);
    setCookie(c, SESSION_COOKIE, opened.secret, { ...COOKIE, maxAge });
    const signedIn = await consoleDesk.admit(opened.secret);
    if (signedIn === undefined) throw new Problem("unauthorized");
    const { tokenId, role, sites } = signedIn.principal;
    const shown = { token_id: tokenId, role, sites: sites && [...sites] };
    return c.json({ ...shown, expires_at: isoTime(expiresAt) }, 201);
  });

  routes.openapi(show, async (c) => {
    const secret = sessionSecret(c.req);
    const signedIn = secret === undefined ? undefined : await consoleDesk.admit(secret);
    if (signedIn === undefined) throw new Problem("unauthorized");
    const { tokenId, role, sites } = signedIn.principal;
    const shown = { token_id: tokenId, role, sites: sites && [...sites] };
    return c.json({ ...shown, expires_at: isoTime(signedIn.expiresAt) }, 200);
  });

  routes.openapi(signOut, async (c) => {
    const secret = sessionSecret(c.req);
    if (secret !== undefined) await consoleDesk.end(secret);
    deleteCookie(c, SESSION_COOKIE, COOKIE);
    return c.body(null, 204);
  });
}
