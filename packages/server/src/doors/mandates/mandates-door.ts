import { REASONS, REQUEST_ID_HEADER, type ReasonCode } from "@gatehouse/protocol";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "../../context.js";
import { findSite } from "../../owners/sites/find.js";
import type { Door, HttpEnv } from "../../platform/http/env.js";
import { docsUrl } from "../../platform/http/problem.js";

/** What a caller may have echoed: visible ASCII, and not too much of it. */
const ECHOED = /^[!-~]{1,128}$/;

/**
 * The endpoint every card names. No site takes mandates yet, and it says so in the contract's own
 * words, whatever is sent: a mandate, or a task of A2A, which is not spoken here.
 */
export function mandatesDoor({ config, db }: Context): Door {
  const routes = new OpenAPIHono<HttpEnv>();
  routes.post("/v1/m/:site/mandate", async (c) => {
    const site = await findSite(db, c.req.param("site"), "key");
    const reason: ReasonCode = site === undefined ? "site_not_found" : "mandates_disabled";
    const { status, message } = REASONS[reason];
    const sent = c.req.header(REQUEST_ID_HEADER) ?? "";
    if (ECHOED.test(sent)) c.header(REQUEST_ID_HEADER, sent);
    const docs_url = docsUrl(config.baseUrl, reason);
    return c.json({ outcome: "rejected", reason, message, docs_url }, status as 403 | 404);
  });
  return { name: "mandates", cors: "echo", routes };
}
