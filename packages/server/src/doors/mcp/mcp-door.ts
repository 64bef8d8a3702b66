import { isJsonObject } from "@gatehouse/protocol";
import { OpenAPIHono } from "@hono/zod-openapi";
import type { Context } from "../../context.js";
import { findSite } from "../../owners/sites/find.js";
import { readJsonText } from "../../platform/http/body.js";
import type { Door, HttpEnv } from "../../platform/http/env.js";
import { Problem } from "../../platform/http/problem.js";
import { answerPending } from "../pending.js";

const BODY_BYTES_MAX = 256 * 1024;
/** JSON-RPC 2.0: the method does not exist here. */
const METHOD_NOT_FOUND = -32_601;

/**
 * The endpoint every card names. No method is served yet: a call must be in the audit log before
 * it is answered, so until there is one, all of them are refused as unknown.
 */
export function mcpDoor(context: Context): Door {
  const { clock, config, db } = context;
  const docs_url = `${config.baseUrl}/docs/reference/protocols.md`;
  const routes = new OpenAPIHono<HttpEnv>();
  routes.post("/v1/mcp/:site", async (c) => {
    const site = await findSite(db, c.req.param("site"), "either");
    if (site === undefined) throw new Problem("not_found", { message: "No site has this key." });
    if (site.status !== "verified") return answerPending(c, context, site.domain);
    const sent = JSON.parse(await readJsonText(c.req.raw, BODY_BYTES_MAX, clock));
    const { id } = isJsonObject(sent) ? sent : {};
    const known = typeof id === "string" || typeof id === "number";
    const error = { code: METHOD_NOT_FOUND, message: "Method not found", data: { docs_url } };
    return c.json({ jsonrpc: "2.0", id: known ? id : null, error });
  });
  return { name: "mcp", cors: "open", routes };
}
