import type { OpenAPIHono } from "@hono/zod-openapi";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { signInWithOidc, takeAttempt } from "../../actions/people/sign-in-oidc.js";
import type { Context } from "../../context.js";
import { OIDC_CALLBACK } from "../../domain/access/sign-in-tools.js";
import { tokenDigest } from "../../domain/access/token-authenticator.js";
import type { OidcAttempt, OidcClient } from "../../infra/oidc.js";
import { MINUTE_MS } from "../../infra/time.js";
import { CONSOLE_PATH, sessionSecret } from "../server/credentials.js";
import type { HttpEnv } from "../server/hono-group.js";
import { Problem } from "../server/problem.js";
import { deviceOf } from "./device.js";
import { startSession } from "./session.js";

/** Lax, because the browser comes back from another site. It holds no session, and is sealed. */
const ATTEMPT_COOKIE = "__Host-gatehouse-oidc";
const COOKIE = { path: "/", secure: true, httpOnly: true, sameSite: "Lax" } as const;
const ATTEMPT_MS = 10 * MINUTE_MS;
const PLACE = "console oidc attempt";

interface StoredAttempt extends OidcAttempt {
  readonly expiresAt: number;
  /**
   * The digest of the session that the browser had when it left. Its cookie is `Strict`, so the browser does
   * not send it when it comes back from another site.
   */
  readonly sessionBefore?: string | undefined;
}

function requireOidc({ signInTools }: Context): OidcClient {
  if (signInTools.oidc !== undefined) return signInTools.oidc;
  throw new Problem("not_found");
}

/** The attempt of this browser; undefined if it began none, or too long ago. */
function attemptIn({ clock, secrets }: Context, sealed: string | undefined) {
  if (sealed === undefined) return undefined;
  try {
    const attempt = JSON.parse(secrets.open(PLACE, sealed)) as StoredAttempt;
    return clock.now() < attempt.expiresAt ? attempt : undefined;
  } catch {
    // Anybody can set a cookie in their own browser.
    return undefined;
  }
}

/** The message alone: causes contain what the service says about people. */
const whyOf = (error: unknown) => (error instanceof Error ? error.message : "unknown");

/** Signing in with the company's sign-in service: there and back. */
export function oidcRoutes(routes: OpenAPIHono<HttpEnv>, context: Context): void {
  const { clock, config, consoleSessions, log, secrets } = context;

  routes.get("/v1/console/oidc", async (c) => {
    const oidc = requireOidc(context);
    c.header("cache-control", "no-store");
    // A link of another site begins nothing: the browser would not send its session, which has to end.
    if (c.req.header("sec-fetch-site") === "cross-site") {
      return c.redirect(config.baseUrl + CONSOLE_PATH, 303);
    }
    const secret = sessionSecret(c.req);
    const sessionBefore = secret === undefined ? undefined : tokenDigest(secret);
    try {
      const { url, attempt } = await oidc.begin();
      const expiresAt = clock.now() + ATTEMPT_MS;
      const stored: StoredAttempt = { ...attempt, expiresAt, sessionBefore };
      setCookie(c, ATTEMPT_COOKIE, secrets.seal(PLACE, JSON.stringify(stored)), {
        ...COOKIE,
        maxAge: ATTEMPT_MS / 1000,
      });
      return c.redirect(url, 303);
    } catch (error) {
      log.warn({ why: whyOf(error) }, "people.oidc_unavailable");
      return c.redirect(`${config.baseUrl}${CONSOLE_PATH}#problem=oidc_unavailable`, 303);
    }
  });

  /** Who came back from the sign-in service; undefined if that does not verify. */
  async function identityOf(oidc: OidcClient, query: string, attempt: StoredAttempt) {
    if (!(await takeAttempt(context, attempt))) return undefined;
    try {
      return await oidc.finish(query, attempt);
    } catch (error) {
      log.warn({ why: whyOf(error) }, "people.oidc_refused");
      return undefined;
    }
  }

  routes.get(OIDC_CALLBACK, async (c) => {
    const oidc = requireOidc(context);
    c.header("cache-control", "no-store");
    const attempt = attemptIn(context, getCookie(c, ATTEMPT_COOKIE));
    deleteCookie(c, ATTEMPT_COOKIE, COOKIE);
    const back = (problem?: string) => {
      const fragment = problem === undefined ? "" : `#problem=${problem}`;
      return c.redirect(`${config.baseUrl}${CONSOLE_PATH}${fragment}`, 303);
    };
    let problem = "oidc_failed";
    // Any page can send a browser here, so this must not count as a sign-in attempt of its address.
    if (attempt === undefined) return back(problem);
    const opened = await consoleSessions.limited(c.get("caller").address, async () => {
      const identity = await identityOf(oidc, new URL(c.req.url).search, attempt);
      if (identity === undefined) return undefined;
      problem = "oidc_unknown";
      return signInWithOidc(context, identity, deviceOf(c.req.header("user-agent")));
    });
    if (!opened.ok) return back(opened.reason === "rate_limited" ? "too_many_attempts" : problem);
    const before = attempt.sessionBefore;
    if (before !== undefined) await consoleSessions.endByDigest(before);
    await startSession(context, c, opened.value);
    return back();
  });
}
