import { REASONS } from "@gatehouse/protocol";
import type { Context as HonoContext } from "hono";
import type { Context } from "../context.js";
import type { HttpEnv } from "../platform/http/env.js";
import { docsUrl } from "../platform/http/problem.js";

/** The site is known, and nothing is said in its name before its domain is proven. */
export function answerPending(
  c: HonoContext<HttpEnv>,
  { config }: Context,
  domain: string,
): Response {
  const { status, message } = REASONS.pending_verification;
  const docs_url = docsUrl(config.baseUrl, "pending_verification");
  return c.json({ status: "pending_verification", domain, message, docs_url }, status as 404);
}
