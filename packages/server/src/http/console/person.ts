import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { mailSignInLink } from "../../actions/people/links.js";
import {
  endOwnSession,
  ownAddress,
  ownPasskeys,
  ownSessions,
  rename,
} from "../../actions/people/own.js";
import { isConfirmed } from "../../actions/people/passkeys.js";
import type { Context } from "../../context.js";
import { PERSON_NAME_CHARS_MAX } from "../../domain/access/people/person.js";
import { isoTime } from "../../infra/clock.js";
import { networksOf } from "../../infra/networks.js";
import { AddressLimiter } from "../../infra/rate-limit/address-limiter.js";
import { namedOrigin } from "../../infra/web-name.js";
import { line } from "../server/fields.js";
import type { HttpEnv } from "../server/hono-group.js";
import { Problem } from "../server/problem.js";
import { requireOk } from "../server/require-ok.js";
import { body, errors, json, Timestamp, timeOrNull } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { PasskeyBody, renderPasskey } from "./passkeys.js";
import { fromConsole, requirePerson } from "./signed-in.js";

const tags = ["Console"];
const EMAIL_CHARS_MAX = 254;
/** Mails that one address can ask for. */
const LINKS_PER_MINUTE = 3;

const ways = createRoute({
  method: "get",
  path: "/v1/console/sign-in-ways",
  tags,
  summary: "List the ways to sign in",
  responses: {
    200: json(
      z
        .object({
          mail: z.boolean().openapi({ description: "Whether links can be sent by email." }),
          oidc: z
            .string()
            .nullable()
            .openapi({ description: "The name of the company's sign-in service; null for none." }),
          passkey_origin: z.string().nullable().openapi({
            description:
              "Where to open the console to use passkeys; null if the service has only an IP address.",
          }),
        })
        .openapi("SignInWays"),
      "The ways to sign in, besides passkeys and tokens.",
    ),
    ...errors("forbidden"),
  },
});

const mailLink = createRoute({
  method: "post",
  path: "/v1/console/sign-in-links",
  tags,
  summary: "Send a sign-in link by email",
  description:
    "Sends a link to the person with this address. The answer is the same if there is no such person.",
  request: { body: body(strict({ email: z.string().min(3).max(EMAIL_CHARS_MAX) })) },
  responses: {
    202: { description: "If the address belongs to somebody, a link is on its way." },
    ...errors("invalid_request", "forbidden", "conflict", "rate_limited"),
  },
});

const SessionItem = z
  .object({
    session_id: z.string(),
    device: z.string(),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
    current: z.boolean(),
  })
  .openapi("ConsoleSessionItem");

const OwnBody = z
  .object({
    person_id: z.string(),
    name: z.string(),
    email: z
      .string()
      .nullable()
      .openapi({ description: "Your email address. null if none is set." }),
    confirmed: z
      .boolean()
      .openapi({ description: "Whether a passkey was used in the last ten minutes." }),
    passkeys: z.array(PasskeyBody),
    sessions: z.array(SessionItem),
  })
  .openapi("OwnAccount");

const showOwn = createRoute({
  method: "get",
  path: "/v1/console/person",
  tags,
  summary: "Show your own passkeys and sessions",
  responses: { 200: json(OwnBody, "Your account."), ...errors("forbidden") },
});

const changeOwn = createRoute({
  method: "patch",
  path: "/v1/console/person",
  tags,
  summary: "Change your name",
  request: { body: body(strict({ name: line(PERSON_NAME_CHARS_MAX) })) },
  responses: { 204: { description: "Saved." }, ...errors("invalid_request", "forbidden") },
});

const endOne = createRoute({
  method: "delete",
  path: "/v1/console/sessions/{session_id}",
  tags,
  summary: "End one of your sessions",
  request: { params: z.object({ session_id: z.string().max(64) }) },
  responses: { 204: { description: "It has ended." }, ...errors("forbidden", "not_found") },
});

/** What a person who is signed in does with their own account: passkeys, sessions, name. */
export function personRoutes(routes: OpenAPIHono<HttpEnv>, context: Context): void {
  const { clock } = context;
  const limiter = new AddressLimiter({ perMinute: LINKS_PER_MINUTE });

  fromConsole(routes, context, [ways, mailLink, showOwn, changeOwn, endOne]);

  routes.openapi(ways, (c) => {
    const { config, mailer, signInTools } = context;
    const ways = {
      mail: mailer.configured,
      oidc: signInTools.oidc?.name ?? null,
      passkey_origin: namedOrigin(config.baseUrl) ?? null,
    };
    return c.json(ways, 200);
  });

  routes.openapi(mailLink, (c) => {
    const waitMs = limiter.take(networksOf(c.get("caller").address), clock.now());
    if (waitMs > 0) {
      const retryAfter = String(Math.ceil(waitMs / 1000));
      throw new Problem("rate_limited", { headers: { "retry-after": retryAfter } });
    }
    requireOk(mailSignInLink(context, c.req.valid("json").email));
    return c.body(null, 202);
  });

  routes.openapi(showOwn, async (c) => {
    const { user } = await requirePerson(context, c);
    const sessions = await ownSessions(context, user);
    const passkeys = await ownPasskeys(context, user);
    const answer = {
      person_id: user.principal.id,
      name: user.name,
      email: await ownAddress(context, user),
      confirmed: isConfirmed(context, user),
      passkeys: passkeys.map((passkey) => renderPasskey(context, passkey)),
      sessions: sessions.map((session) => ({
        session_id: session.sessionId,
        device: session.device,
        created_at: isoTime(session.createdAt),
        last_used_at: timeOrNull(session.lastUsedAt),
        current: session.sessionId === user.sessionId,
      })),
    };
    return c.json(answer, 200);
  });

  routes.openapi(changeOwn, async (c) => {
    const { user } = await requirePerson(context, c);
    await rename(context, user, c.req.valid("json").name);
    return c.body(null, 204);
  });

  routes.openapi(endOne, async (c) => {
    const { user } = await requirePerson(context, c);
    requireOk(await endOwnSession(context, user, c.req.valid("param").session_id));
    return c.body(null, 204);
  });
}
