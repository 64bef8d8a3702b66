import type { Context as HonoContext, MiddlewareHandler } from "hono";
import type { Context } from "../../context.js";
import type { Site } from "../../owners/sites/site.js";
import { siteByHash } from "../../owners/sites/store.js";
import { authenticate } from "../../owners/tokens/authenticate.js";
import { hasRole, maySee, type Principal, type Role } from "../../owners/tokens/token.js";
import { limitKey } from "../../platform/http/connection.js";
import type { HttpEnv } from "../../platform/http/env.js";
import { Problem } from "../../platform/http/problem.js";

export interface AdminEnv extends HttpEnv {
  readonly Variables: HttpEnv["Variables"] & { principal: Principal };
}

function bearerOf(c: HonoContext): string | undefined {
  return /^Bearer ([\x21-\x7e]+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
}

/** Counts failures by address; an address that failed too often is not even looked at. */
export function signIn(context: Context): MiddlewareHandler<AdminEnv> {
  const { clock, db, signInFailures, operatorDigest } = context;
  return async (c, next) => {
    const source = limitKey(c.get("connection").address);
    const waitMs = signInFailures.wait(source, clock.now());
    if (waitMs > 0) {
      const headers = { "retry-after": String(Math.ceil(waitMs / 1000)) };
      throw new Problem("rate_limited", { headers });
    }
    const bearer = bearerOf(c);
    const principal = bearer && (await authenticate(db, bearer, operatorDigest));
    if (!principal) {
      signInFailures.take(source, clock.now());
      throw new Problem("unauthorized", { headers: { "www-authenticate": "Bearer" } });
    }
    c.set("principal", principal);
    await next();
  };
}

export function requireRole(c: HonoContext<AdminEnv>, role: Role): Principal {
  const principal = c.get("principal");
  if (!hasRole(principal, role)) {
    throw new Problem("forbidden", { message: `This needs a token with the role ${role}.` });
  }
  return principal;
}

/** The site a path names, if this token may see it; otherwise there is nothing at this address. */
export async function requireSite(
  context: Context,
  c: HonoContext<AdminEnv>,
  siteKeyHash: string,
  role: Role,
): Promise<Site> {
  const principal = c.get("principal");
  const site = await siteByHash(context.db, siteKeyHash);
  if (site === undefined || !maySee(principal, siteKeyHash)) throw new Problem("not_found");
  requireRole(c, role);
  return site;
}
