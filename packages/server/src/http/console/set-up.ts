import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { setUpOwner } from "../../actions/people/set-up-owner.js";
import type { Context } from "../../context.js";
import { PERSON_NAME_CHARS_MAX } from "../../domain/access/people/person.js";
import { line, mailAddress } from "../server/fields.js";
import type { HttpEnv } from "../server/hono-group.js";
import { requireOk } from "../server/require-ok.js";
import { body, errors, json } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { deviceOf } from "./device.js";
import {
  renderSession,
  requireOpened,
  SECRET_CHARS_MAX,
  SessionBody,
  startSession,
} from "./session.js";
import { fromConsole } from "./signed-in.js";

const setUp = createRoute({
  method: "post",
  path: "/v1/console/set-up",
  tags: ["Console"],
  summary: "Create the account of the first owner",
  description:
    "Uses a set-up link, which `POST /v1/admin/console-links` creates while no person has the role operator. The person gets " +
    "this role, which includes owner of every site, and is signed in. The link works once.",
  request: {
    body: body(
      strict({
        code: z.string().min(1).max(SECRET_CHARS_MAX),
        name: line(PERSON_NAME_CHARS_MAX),
        email: mailAddress.optional(),
      }),
    ),
  },
  responses: {
    201: json(SessionBody, "The person. The session is in a cookie."),
    ...errors("invalid_request", "forbidden", "conflict"),
  },
});

/** `/v1/console/set-up`: the first owner of an installation makes an account. */
export function setUpRoute(routes: OpenAPIHono<HttpEnv>, context: Context): void {
  fromConsole(routes, context, [setUp]);

  routes.openapi(setUp, async (c) => {
    const device = deviceOf(c.req.header("user-agent"));
    const { code, name, email } = c.req.valid("json");
    const result = await context.consoleSessions.limited(c.get("caller").address, () =>
      setUpOwner(context, { code, name, email }, device),
    );
    const opened = requireOk(requireOpened(result));
    await startSession(context, c, opened);
    return c.json(renderSession(opened), 201);
  });
}
