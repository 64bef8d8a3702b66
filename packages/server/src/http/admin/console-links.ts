import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "../../context.js";
import { isoTime } from "../../infra/clock.js";
import { CONSOLE_PATH } from "../server/credentials.js";
import { Problem } from "../server/problem.js";
import { json, Timestamp } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import type { AdminEnv } from "./access.js";
import { adminRoute } from "./describe.js";

const make = adminRoute("post", "/v1/admin/console-links", {
  tags: ["Console"],
  summary: "Make a link that signs in at the console",
  description: "Once, within ten minutes, with what the token may do. Whoever has it is signed in.",
  body: strict({}),
  created: json(z.object({ url: z.string(), expires_at: Timestamp }), "The link."),
});

export function consoleLinkRoute(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(make, async (c) => {
    const { config, consoleSessions } = context;
    // If a session could make links, a browser could stay signed in without end.
    if (c.req.header("authorization") === undefined) {
      throw new Problem("forbidden", { message: "This needs a token: a session makes no links." });
    }
    const { code, expiresAt } = await consoleSessions.newCode(c.get("principal"));
    // The code is in the fragment, because browsers do not send fragments to any server.
    const url = `${config.baseUrl}${CONSOLE_PATH}#code=${code}`;
    return c.json({ url, expires_at: isoTime(expiresAt) }, 201);
  });
}
