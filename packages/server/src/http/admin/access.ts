import type { Context as HonoContext, MiddlewareHandler } from "hono";
import { siteLogs } from "../../actions/audit/logs.js";
import { isConfirmed } from "../../actions/people/passkeys.js";
import type { Context } from "../../context.js";
import {
  atSite,
  hasRole,
  limitedTo,
  maySee,
  type Principal,
  type Role,
} from "../../domain/access/principal.js";
import { type Actor, principalActor } from "../../domain/audit/drafts.js";
import { INSTALLATION, type LogHead } from "../../domain/audit/log.js";
import { findSite } from "../../domain/sites/live-sites.js";
import type { Site } from "../../domain/sites/site.js";
import { UNREAD_REST } from "../server/body.js";
import {
  confirmationRequired,
  principalOf,
  requireConsolePage,
  sessionSecret,
} from "../server/credentials.js";
import type { HttpEnv } from "../server/hono-group.js";
import { Problem } from "../server/problem.js";
import { RECHECK_MS } from "../server/streaming.js";

export interface AdminEnv extends HttpEnv {
  readonly Variables: HttpEnv["Variables"] & { principal: Principal };
}

/** Authenticates a request: by its token, or by the session of the console in a browser. */
async function authenticate(
  context: Context,
  c: HonoContext<AdminEnv>,
): Promise<Principal | undefined> {
  const authorization = c.req.header("authorization");
  const secret = authorization === undefined ? sessionSecret(c.req) : undefined;
  if (secret === undefined) {
    return principalOf(context, authorization, c.get("caller").address);
  }
  requireConsolePage(c.req, context.config.baseUrl);
  return (await context.consoleSessions.admit(secret))?.principal;
}

/** Refuses requests without a valid token or session. */
export function signIn(context: Context): MiddlewareHandler<AdminEnv> {
  return async (c, next) => {
    // A preflight has no token, and is answered without one.
    if (c.req.method === "OPTIONS") return next();
    const principal = await authenticate(context, c);
    if (principal === undefined) {
      throw new Problem("unauthorized", { headers: { "www-authenticate": "Bearer" } });
    }
    c.set("principal", principal);
    c.get("caller").provenAs = "proven";
    await next();
  };
}

/** Authenticates a request again if its body took a while: somebody may have ended the session or taken the role. */
export function signInAgain(context: Context): MiddlewareHandler<AdminEnv> {
  const again = signIn(context);
  return (c, next) => {
    const tookMs = context.clock.now() - c.env.exchange.startedAt;
    return tookMs < RECHECK_MS ? next() : again(c, next);
  };
}

/**
 * Whether the caller still has this role at the site in the path. For requests that go on for a while:
 * somebody may have ended the session or taken the role since they began.
 */
export function mayStill(
  context: Context,
  c: HonoContext<AdminEnv>,
  role: Role,
): () => Promise<boolean> {
  const { id } = c.get("principal");
  const siteKeyHash = c.req.param("site_key_hash") ?? "";
  return async () => {
    const now = await authenticate(context, c);
    return now?.id === id && maySee(now, siteKeyHash) && hasRole(atSite(now, siteKeyHash), role);
  };
}

/** Ends an upload whose sender may no longer send it. */
export function requireStill(
  context: Context,
  c: HonoContext<AdminEnv>,
  role: Role,
): () => Promise<void> {
  const may = mayStill(context, c, role);
  return async () => {
    if (await may()) return;
    const message =
      "You are signed out, or no longer have the role for this. Sign in and try again.";
    throw new Problem("forbidden", { message, headers: UNREAD_REST });
  };
}

/** The caller, limited to the sites where they have this role. */
export function requireRole(c: HonoContext<AdminEnv>, role: Role): Principal {
  const principal = c.get("principal");
  if (!hasRole(principal, role)) {
    const held = principal.kind === "person" ? "the role" : "a token with the role";
    throw new Problem("forbidden", { message: `You need ${held} ${role}.` });
  }
  return limitedTo(principal, role);
}

/**
 * For money, keys, people and rules, and for what an operator vouches for: a person must have used a passkey in the
 * last minutes, so that a browser that was left open is not enough. Programs with tokens are not asked.
 */
export function requireConfirmed(context: Context, c: HonoContext<AdminEnv>): void {
  if (!isConfirmed(context, { principal: c.get("principal") })) throw confirmationRequired();
}

/** The caller, by the name that records use. */
export function actorOf(c: HonoContext<AdminEnv>): Actor {
  return principalActor(c.get("principal"));
}

/** The site in the path. A site that the token may not see looks like one that does not exist. */
export async function requireSite(
  context: Context,
  c: HonoContext<AdminEnv>,
  role: Role,
): Promise<Site> {
  // The schema of the route has checked it.
  const siteKeyHash = c.req.param("site_key_hash") ?? "";
  const site = await findSite(context.db, siteKeyHash, "hash");
  if (site === undefined || !maySee(c.get("principal"), siteKeyHash)) {
    throw new Problem("not_found");
  }
  c.set("principal", atSite(c.get("principal"), siteKeyHash));
  requireRole(c, role);
  return site;
}

/** The logs of a site or of the installation, newest first. */
interface OwnedLogs {
  /** The owner, by the name that logs use. */
  readonly owner: string;
  readonly logs: readonly LogHead[];
}

/**
 * The logs of the site in the path, also after the site was deleted. A path without a site means the
 * installation, whose logs are only for tokens that are not limited to sites.
 */
export async function requireLogs(
  context: Context,
  c: HonoContext<AdminEnv>,
  role: Role,
): Promise<OwnedLogs> {
  const owner = c.req.param("site_key_hash") ?? INSTALLATION;
  const logs = maySee(c.get("principal"), owner) ? await siteLogs(context, owner) : [];
  if (logs.length === 0) throw new Problem("not_found");
  c.set("principal", atSite(c.get("principal"), owner));
  requireRole(c, role);
  return { owner, logs };
}
