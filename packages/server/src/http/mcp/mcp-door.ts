import { OpenAPIHono } from "@hono/zod-openapi";
import type { HonoGroup, HttpEnv } from "../server/env.js";
import { Problem } from "../server/problem.js";

/**
 * The path of every site's MCP server, for preflights and wrong methods. Its POSTs are answered in
 * front of the kernel; what comes through has a name no site can have.
 */
export function mcpDoor(): HonoGroup {
  const routes = new OpenAPIHono<HttpEnv>();
  routes.post("/v1/mcp/:site", () => {
    throw new Problem("not_found", { message: "No site has this key." });
  });
  return { name: "mcp", cors: "open", routes };
}
