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
  summary: "Create a sign-in link for the console",
  description:
    "The link works once, within ten minutes, with the rights of the token. The first person who opens it is signed in.",
  body: strict({}),
  created: json(z.object({ url: z.string(), expires_at: Timestamp }), "The link."),
});

export function consoleLinkRoute(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(make, async (c) => {
    const { config, consoleSessions } = context;
    // If a session could make links, a browser could stay signed in without end.
    if (c.req.header("authorization") === undefined) {
      throw new Problem("forbidden", {
        message: "Use a token instead of a console session to create a link.",
      });
    }
    const { code, expiresAt } = await consoleSessions.newCode(c.get("principal"));
    // The code is in the fragment, because browsers do not send fragments to any server.
    const url = `${config.baseUrl}${CONSOLE_PATH}#code=${code}`;
    return c.json({ url, expires_at: isoTime(expiresAt) }, 201);
  });
}
