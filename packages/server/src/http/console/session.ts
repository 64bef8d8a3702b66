import { ok, type Result, refuse } from "@gatehouse/protocol";
import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { deleteCookie, setCookie } from "hono/cookie";
import { signInWithLink, signInWithPasskey } from "../../actions/people/sign-in.js";
import type { Context } from "../../context.js";
import { ROLES } from "../../domain/access/principal.js";
import type { NewSession, SignedInUser } from "../../domain/access/sessions/console-sessions.js";
import { isoTime } from "../../infra/clock.js";
import type { AuthenticationResponseJSON } from "../../infra/webauthn.js";
import { principalOf, SESSION_COOKIE, sessionSecret } from "../server/credentials.js";
import type { HttpEnv } from "../server/hono-group.js";
import { Problem } from "../server/problem.js";
import { body, errors, json, SiteKeyHash, Timestamp } from "../server/schemas.js";
import { deviceOf } from "./device.js";
import { PasskeyAnswer } from "./passkey-schemas.js";
import { fromConsole } from "./signed-in.js";

export const SECRET_CHARS_MAX = 300;
const path = "/v1/console/session";
const tags = ["Console"];

export const SessionBody = z
  .object({
    kind: z.enum(["token", "person"]),
    token_id: z.string().openapi({ description: "The id of the token or person." }),
    name: z.string().openapi({ description: "The name of the token or person." }),
    role: z.enum(ROLES).openapi({ description: "The most powerful role, at any site." }),
    sites: z.array(SiteKeyHash).nullable().openapi({ description: "null: every site." }),
    roles: z
      .record(SiteKeyHash, z.enum(ROLES))
      .optional()
      .openapi({ description: "The role at each site, for a person." }),
    session_id: z.string(),
    expires_at: Timestamp,
  })
  .openapi("ConsoleSession");

const Secret = z.string().min(1).max(SECRET_CHARS_MAX);
const Credential = z.union(
  [
    z.strictObject({ code: Secret }),
    z.strictObject({ token: Secret }),
    z.strictObject({ link: Secret }),
    z.strictObject({ passkey: PasskeyAnswer }),
  ],
  "must contain a code, a token, a link or a passkey, and nothing else",
);
/** What a browser can sign in with. The schema of the body lets exactly one of them through. */
interface Credentials {
  readonly code?: string;
  readonly link?: string;
  readonly passkey?: unknown;
  readonly token?: string;
}

const signIn = createRoute({
  method: "post",
  path,
  tags,
  summary: "Sign in to the console",
  description:
    "Use the secret of a person's link or the code of a link from the terminal, which work once, the answer " +
    "of a passkey, or a token.",
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

export function renderSession({ principal, ...user }: SignedInUser): z.infer<typeof SessionBody> {
  const { id, kind, role, sites, siteRoles } = principal;
  return {
    kind,
    token_id: id,
    name: user.name,
    role,
    sites: sites && [...sites],
    ...(siteRoles === undefined ? {} : { roles: { ...siteRoles } }),
    session_id: user.sessionId,
    expires_at: isoTime(user.expiresAt),
  };
}

type Opened<Session = NewSession> = Result<Session, "unauthorized" | "rate_limited">;

const WRONG_TOKEN = refuse("unauthorized", "the token is not valid");
const WRONG_PASSKEY = "the passkey is not known here, or its answer came too late";

/** Signs in with the credential that the browser sent. */
async function openWith(
  context: Context,
  { code, link, passkey, token }: Credentials,
  address: string,
  device: string,
): Promise<Opened> {
  const { consoleSessions, db } = context;
  const facts = { device, confirmed: false };
  if (code !== undefined) return consoleSessions.openWithCode(code, address, facts);
  if (link !== undefined) {
    return consoleSessions.limited(address, () => signInWithLink(context, link, device));
  }
  if (passkey !== undefined) {
    const opened = await consoleSessions.limited(address, () =>
      signInWithPasskey(context, passkey as AuthenticationResponseJSON, device),
    );
    return opened.ok || opened.reason === "rate_limited"
      ? opened
      : refuse("unauthorized", WRONG_PASSKEY);
  }
  const principal = await principalOf(context, `Bearer ${token}`, address);
  if (principal === undefined) return WRONG_TOKEN;
  const opened = await db.transaction((tx) => consoleSessions.open(tx, principal.id, facts));
  return opened === undefined ? WRONG_TOKEN : ok(opened);
}

export function requireOpened<Session>(opened: Opened<Session>): Session {
  if (opened.ok) return opened.value;
  const { reason, detail } = opened;
  if (reason === "unauthorized")
    throw new Problem(reason, { message: `You are not signed in: ${detail}.` });
  throw new Problem(reason, { headers: { "retry-after": detail } });
}

/** Gives the browser its session, and ends the one it had: somebody else may have planted that. */
export async function startSession(
  { clock, consoleSessions }: Context,
  c: HonoContext<HttpEnv>,
  opened: NewSession,
): Promise<void> {
  const before = sessionSecret(c.req);
  if (before !== undefined) await consoleSessions.end(before);
  const maxAge = Math.floor((opened.expiresAt - clock.now()) / 1000);
  setCookie(c, SESSION_COOKIE, opened.secret, { ...COOKIE, maxAge });
}

/** `/v1/console/session`: signs a browser in and out of the console. */
export function sessionRoutes(routes: OpenAPIHono<HttpEnv>, context: Context): void {
  const { consoleSessions } = context;
  fromConsole(routes, context, [signIn]);

  routes.openapi(signIn, async (c) => {
    const device = deviceOf(c.req.header("user-agent"));
    const { address } = c.get("caller");
    const opened = requireOpened(await openWith(context, c.req.valid("json"), address, device));
    await startSession(context, c, opened);
    return c.json(renderSession(opened), 201);
  });

  routes.openapi(show, async (c) => {
    const secret = sessionSecret(c.req);
    const admitted = secret === undefined ? undefined : await consoleSessions.admit(secret);
    if (admitted === undefined) throw new Problem("unauthorized");
    return c.json(renderSession(admitted), 200);
  });

  routes.openapi(signOut, async (c) => {
    const secret = sessionSecret(c.req);
    if (secret !== undefined) await consoleSessions.end(secret);
    deleteCookie(c, SESSION_COOKIE, COOKIE);
    return c.body(null, 204);
  });
}
