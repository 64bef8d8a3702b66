import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { deleteCookie, setCookie } from "hono/cookie";
import type { Context } from "../../context.js";
import type { NewSession, SignedInUser } from "../../domain/tokens/sessions/console-sessions.js";
import { ROLES } from "../../domain/tokens/token.js";
import { isoTime } from "../../infra/clock.js";
import {
  principalOf,
  requireConsolePage,
  SESSION_COOKIE,
  sessionSecret,
} from "../server/credentials.js";
import type { HttpEnv } from "../server/hono-group.js";
import { Problem } from "../server/problem.js";
import { body, errors, json, SiteKeyHash, Timestamp } from "../server/schemas.js";

const SECRET_CHARS_MAX = 300;
const path = "/v1/console/session";
const tags = ["Console"];

const SessionBody = z
  .object({
    token_id: z.string(),
    name: z.string().openapi({ description: "The name of the token." }),
    role: z.enum(ROLES),
    sites: z.array(SiteKeyHash).nullable().openapi({ description: "null: every site." }),
    expires_at: Timestamp,
  })
  .openapi("ConsoleSession");

const Secret = z.string().min(1).max(SECRET_CHARS_MAX);
const Credential = z.union(
  [z.strictObject({ code: Secret }), z.strictObject({ token: Secret })],
  "must contain either a code or a token, and nothing else",
);

const signIn = createRoute({
  method: "post",
  path,
  tags,
  summary: "Sign in to the console",
  description: "Use the code of a sign-in link, which works once, or a token.",
  request: {
    body: body(Credential),
  },
  responses: {
    201: json(SessionBody, "Who is signed in. The session is in a cookie."),
    ...errors("invalid_request", "forbidden"),
  },
});

const show = createRoute({
  method: "get",
  path,
  tags,
  summary: "Show who is signed in",
  responses: { 200: json(SessionBody, "Who is signed in."), ...errors("forbidden") },
});

const signOut = createRoute({
  method: "delete",
  path,
  tags,
  summary: "Sign out",
  responses: { 204: { description: "The session has ended." }, ...errors("forbidden") },
});

const COOKIE = { path: "/", secure: true, httpOnly: true, sameSite: "Strict" } as const;

function render({ principal, name, expiresAt }: SignedInUser): z.infer<typeof SessionBody> {
  const { tokenId, role, sites } = principal;
  return {
    token_id: tokenId,
    name,
    role,
    sites: sites && [...sites],
    expires_at: isoTime(expiresAt),
  };
}

async function openWithToken(
  context: Context,
  token: string,
  address: string,
): Promise<NewSession> {
  const principal = await principalOf(context, `Bearer ${token}`, address);
  const opened = principal && (await context.consoleSessions.openFor(principal));
  if (opened === undefined) throw new Problem("unauthorized");
  return opened;
}

async function openWithCode(context: Context, code: string, address: string): Promise<NewSession> {
  const opened = await context.consoleSessions.openWithCode(code, address);
  if (opened.ok) return opened.value;
  const { reason, detail } = opened;
  if (reason === "unauthorized")
    throw new Problem(reason, { message: `You are not signed in: ${detail}.` });
  throw new Problem(reason, { headers: { "retry-after": detail } });
}

/** `/v1/console/session`: signs a browser in and out of the console. */
export function sessionRoutes(routes: OpenAPIHono<HttpEnv>, context: Context): void {
  const { clock, config, consoleSessions } = context;
  routes.use(path, async (c, next) => {
    if (c.req.method !== "OPTIONS") requireConsolePage(c.req, config.baseUrl);
    c.header("cache-control", "no-store");
    await next();
  });

  routes.openapi(signIn, async (c) => {
    const { code = "", token }: { code?: string; token?: string } = c.req.valid("json");
    const { address } = c.get("caller");
    const opened =
      token === undefined
        ? await openWithCode(context, code, address)
        : await openWithToken(context, token, address);
    // The browser's former session ends, so that a session somebody else planted there is of no use.
    const before = sessionSecret(c.req);
    if (before !== undefined) await consoleSessions.end(before);
    const maxAge = Math.floor((opened.expiresAt - clock.now()) / 1000);
    setCookie(c, SESSION_COOKIE, opened.secret, { ...COOKIE, maxAge });
    return c.json(render(opened), 201);
  });

  routes.openapi(show, async (c) => {
    const secret = sessionSecret(c.req);
    const admitted = secret === undefined ? undefined : await consoleSessions.admit(secret);
    if (admitted === undefined) throw new Problem("unauthorized");
    return c.json(render(admitted), 200);
  });

  routes.openapi(signOut, async (c) => {
    const secret = sessionSecret(c.req);
    if (secret !== undefined) await consoleSessions.end(secret);
    deleteCookie(c, SESSION_COOKIE, COOKIE);
    return c.body(null, 204);
  });
}
