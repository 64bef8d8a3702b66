import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { newConsoleLink } from "../../actions/people/links.js";
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
    "The first person who uses the link is signed in. As long as no person has the role operator, an operator's token gets a " +
    "`set_up` link, which makes that person's account with this role. It works once, within an hour. Any other " +
    "link works once, within ten minutes, with the rights of the token.",
  body: strict({}),
  created: json(
    z.object({ url: z.string(), kind: z.enum(["set_up", "token"]), expires_at: Timestamp }),
    "The link.",
  ),
});

export function consoleLinkRoute(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(make, async (c) => {
    // If a session could make links, a browser could stay signed in without end.
    if (c.req.header("authorization") === undefined) {
      throw new Problem("forbidden", {
        message: "Use a token instead of a console session to create a link.",
      });
    }
    const { code, expiresAt, setUp } = await newConsoleLink(context, c.get("principal"));
    // The code is in the fragment, because browsers do not send fragments to any server.
    const url = `${context.config.baseUrl}${CONSOLE_PATH}#${setUp ? "set-up" : "code"}=${code}`;
    const kind = setUp ? "set_up" : "token";
    return c.json({ url, kind, expires_at: isoTime(expiresAt) } as const, 201);
  });
}
