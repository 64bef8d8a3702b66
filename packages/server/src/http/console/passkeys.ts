import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  addPasskey,
  confirmWithPasskey,
  isConfirmed,
  passkeyOptions,
  removePasskey,
} from "../../actions/people/passkeys.js";
import type { Context } from "../../context.js";
import { type Passkey, worksAt } from "../../domain/access/passkeys/passkey.js";
import { isoTime } from "../../infra/clock.js";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "../../infra/webauthn.js";
import { confirmationRequired } from "../server/credentials.js";
import { line } from "../server/fields.js";
import type { HttpEnv } from "../server/hono-group.js";
import { Problem } from "../server/problem.js";
import { requireOk } from "../server/require-ok.js";
import { body, errors, json, Timestamp, timeOrNull } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { NewPasskeyAnswer, PasskeyAnswer } from "./passkey-schemas.js";
import { fromConsole, requirePerson } from "./signed-in.js";

const tags = ["Console"];
const PASSKEY_NAME_CHARS_MAX = 60;

const options = createRoute({
  method: "post",
  path: "/v1/console/passkey-options",
  tags,
  summary: "Begin to use a passkey",
  description:
    "The options for `navigator.credentials`. `sign_in` needs no session; `register` and `confirm` need one.",
  request: { body: body(strict({ purpose: z.enum(["sign_in", "register", "confirm"]) })) },
  responses: {
    200: json(z.looseObject({ challenge: z.string() }), "Options for the browser."),
    ...errors("invalid_request", "forbidden"),
  },
});

const confirm = createRoute({
  method: "post",
  path: "/v1/console/confirmation",
  tags,
  summary: "Confirm with a passkey that it is you",
  description: "Keys, payment settings, people and rules can be changed for ten minutes after it.",
  request: { body: body(strict({ passkey: PasskeyAnswer })) },
  responses: { 204: { description: "Confirmed." }, ...errors("invalid_request", "forbidden") },
});

export const PasskeyBody = z
  .object({
    passkey_id: z.string(),
    name: z.string(),
    created_at: Timestamp,
    last_used_at: Timestamp.nullable(),
    usable: z.boolean().openapi({
      description:
        "false: it belongs to a host that the service had before, and no browser offers it.",
    }),
  })
  .openapi("Passkey");

const addKey = createRoute({
  method: "post",
  path: "/v1/console/passkeys",
  tags,
  summary: "Add a passkey",
  request: {
    body: body(strict({ name: line(PASSKEY_NAME_CHARS_MAX), passkey: NewPasskeyAnswer })),
  },
  responses: {
    201: json(PasskeyBody, "The passkey."),
    ...errors("invalid_request", "forbidden", "conflict"),
  },
});

const removeKey = createRoute({
  method: "delete",
  path: "/v1/console/passkeys/{passkey_id}",
  tags,
  summary: "Remove a passkey",
  request: { params: z.object({ passkey_id: z.string().max(1400) }) },
  responses: {
    204: { description: "It no longer signs in." },
    ...errors("forbidden", "not_found"),
  },
});

/** Passkeys: the options for a browser, adding and removing, and confirming with one. */
export function passkeyRoutes(routes: OpenAPIHono<HttpEnv>, context: Context): void {
  const { consoleSessions } = context;
  fromConsole(routes, context, [options, confirm, addKey, removeKey]);

  routes.openapi(options, async (c) => {
    const { purpose } = c.req.valid("json");
    const user = purpose === "sign_in" ? undefined : (await requirePerson(context, c)).user;
    const challenge = await passkeyOptions(context, purpose, user);
    return c.json(challenge as unknown as { challenge: string }, 200);
  });

  routes.openapi(confirm, async (c) => {
    const { user, secret } = await requirePerson(context, c);
    const answer = c.req.valid("json").passkey as AuthenticationResponseJSON;
    const address = c.get("caller").address;
    const confirmed = await consoleSessions.limited(address, () =>
      confirmWithPasskey(context, user, secret, answer),
    );
    if (!confirmed.ok) {
      throw new Problem("forbidden", { message: "The passkey is not yours, or it took too long." });
    }
    return c.body(null, 204);
  });

  routes.openapi(addKey, async (c) => {
    const { user, secret } = await requirePerson(context, c);
    const { name, passkey } = c.req.valid("json");
    const added = { name, response: passkey as RegistrationResponseJSON };
    const created = requireOk(await addPasskey(context, user, secret, added));
    return c.json(renderPasskey(context, created), 201);
  });

  routes.openapi(removeKey, async (c) => {
    const { user } = await requirePerson(context, c);
    if (!isConfirmed(context, user)) throw confirmationRequired();
    requireOk(await removePasskey(context, user, c.req.valid("param").passkey_id));
    return c.body(null, 204);
  });
}

export function renderPasskey(
  { signInTools }: Context,
  { credentialId, name, createdAt, lastUsedAt, rpId }: Passkey,
): z.infer<typeof PasskeyBody> {
  return {
    passkey_id: credentialId,
    name,
    created_at: isoTime(createdAt),
    last_used_at: timeOrNull(lastUsedAt),
    usable: worksAt({ rpId }, signInTools.party.id),
  };
}
