import { REASONS } from "@gatehouse/protocol";
import type { Context as HonoContext } from "hono";
import type { Context } from "../context.js";
import type { HttpEnv } from "../platform/http/env.js";
import { docsUrl } from "../platform/http/problem.js";

/** The site is known, and nothing is said in its name before its domain is proven. */
export function pendingBody(baseUrl: string, domain: string) {
  const { message } = REASONS.pending_verification;
  const docs_url = docsUrl(baseUrl, "pending_verification");
  return { status: "pending_verification", domain, message, docs_url };
}

export function answerPending(
  c: HonoContext<HttpEnv>,
  { config }: Context,
  domain: string,
): Response {
  const { status } = REASONS.pending_verification;
  return c.json(pendingBody(config.baseUrl, domain), status as 404);
}
