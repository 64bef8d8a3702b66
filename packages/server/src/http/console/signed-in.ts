import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import type { Context } from "../../context.js";
import type { SignedInUser } from "../../domain/access/sessions/console-sessions.js";
import { requireConsolePage, sessionSecret } from "../server/credentials.js";
import type { HttpEnv } from "../server/hono-group.js";
import { Problem } from "../server/problem.js";

/** Accepts these routes only from a page of the console, and lets nobody keep their answers. */
export function fromConsole(
  routes: OpenAPIHono<HttpEnv>,
  { config }: Context,
  described: readonly { readonly path: string }[],
): void {
  for (const path of new Set(described.map((route) => route.path))) {
    routes.use(path.replace(/\{(\w+)\}/, ":$1"), async (c, next) => {
      if (c.req.method !== "OPTIONS") requireConsolePage(c.req, config.baseUrl);
      c.header("cache-control", "no-store");
      await next();
    });
  }
}

interface SignedInPerson {
  readonly user: SignedInUser;
  readonly secret: string;
}

/** The person whose session it is. Somebody who signed in with a token has no account. */
export async function requirePerson(
  { consoleSessions }: Context,
  c: HonoContext<HttpEnv>,
): Promise<SignedInPerson> {
  const secret = sessionSecret(c.req);
  const user = secret === undefined ? undefined : await consoleSessions.admit(secret);
  if (user === undefined || secret === undefined) throw new Problem("unauthorized");
  if (user.principal.kind === "person") return { user, secret };
  const message = "You are signed in with a token. Ask for an invitation to have an account.";
  throw new Problem("forbidden", { message });
}
