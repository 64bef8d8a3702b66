import { OpenAPIHono } from "@hono/zod-openapi";
import type { HonoGroup, HttpEnv } from "../server/env.js";
import { Problem } from "../server/problem.js";
import { BEACON_PATH } from "./beacon-answers.js";
import { embedRoute } from "./embed.js";

/**
 * The script pages load, and the path it sends beacons to, for preflights and wrong methods: beacons
 * themselves are answered in front of the kernel; what comes through has something behind the path.
 */
export function visitsDoor(): HonoGroup {
  const routes = new OpenAPIHono<HttpEnv>();
  routes.post(BEACON_PATH, () => {
    throw new Problem("not_found");
  });
  embedRoute(routes);
  return { name: "visits", cors: "open", routes };
}
