import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { createCredential } from "../../actions/platforms/create-credential.js";
import { listCredentials, revokeCredential } from "../../actions/platforms/revoke-credential.js";
import type { Context } from "../../context.js";
import {
  CREDENTIAL_DAYS,
  CREDENTIAL_DAYS_MAX,
  CREDENTIAL_KINDS,
  LIVE_CREDENTIALS_MAX,
  type PlatformCredential,
} from "../../domain/platforms/credentials/credential.js";
import { isoTime } from "../../infra/clock.js";
import { requireOk } from "../server/require-ok.js";
import { json, Timestamp, timeOrNull } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireConfirmed, requireSite } from "./access.js";
import { idParam, siteRoute } from "./describe.js";
import { PlatformParams } from "./schemas.js";

const CredentialBody = z
  .object({
    credential_id: z.string().openapi({ description: "The client id of an OAuth client." }),
    platform: z.string(),
    kind: z.enum(CREDENTIAL_KINDS).openapi({
      description:
        "api_key: sent as `X-API-Key`. oauth_client: exchanged for access tokens at `token_url`.",
    }),
    token_url: z.string().nullable().openapi({ description: "null for an API key." }),
    created_by: z.string(),
    created_at: Timestamp,
    expires_at: Timestamp,
    last_used_at: Timestamp.nullable().openapi({ description: "Accurate to the hour." }),
    revoked_at: Timestamp.nullable(),
  })
  .openapi("PlatformCredential");

const CreatedCredential = CredentialBody.extend({
  secret: z.string().openapi({
    description: "The API key or client secret. Shown only once.",
  }),
}).openapi("CreatedPlatformCredential");

const list = siteRoute("get", "/platforms/{platform}/credentials", {
  tags: ["Platforms"],
  summary: "List a platform's API keys and OAuth clients",
  description:
    "Includes keys and clients that were revoked or that expired in the last 90 days. Secrets are not shown.",
  params: PlatformParams,
  answer: json(z.object({ items: z.array(CredentialBody) }), "The keys and clients, newest first."),
  errors: ["forbidden"],
});

const create = siteRoute("post", "/platforms/{platform}/credentials", {
  tags: ["Platforms"],
  summary: "Create an API key or OAuth client for a platform",
  description:
    `Only an admitted platform can have them, at most ${LIVE_CREDENTIALS_MAX} live ones of each kind, so ` +
    "that you can replace one. They authenticate calls over UCP's REST binding, but no mandates and no MCP calls.",
  params: PlatformParams,
  body: strict({
    kind: z.enum(CREDENTIAL_KINDS),
    expires_in_days: z
      .int()
      .min(1)
      .max(CREDENTIAL_DAYS_MAX)
      .optional()
      .openapi({ description: `The default is ${CREDENTIAL_DAYS}.` }),
  }),
  created: json(CreatedCredential, "The credential, with its secret."),
  errors: ["conflict"],
});

const revoke = siteRoute("delete", "/platforms/{platform}/credentials/{credential_id}", {
  tags: ["Platforms"],
  summary: "Revoke an API key or OAuth client",
  description:
    "Takes effect immediately on every node. The access tokens of a client are revoked too.",
  params: PlatformParams.extend({ credential_id: idParam("credential_id") }),
  noContent: "The key or client was revoked.",
});

const renderAt =
  (baseUrl: string) =>
  (credential: PlatformCredential): z.infer<typeof CredentialBody> => ({
    credential_id: credential.credentialId,
    platform: credential.platform,
    kind: credential.kind,
    token_url:
      credential.kind === "oauth_client"
        ? `${baseUrl}/v1/ucp/${credential.siteKeyHash}/oauth/token`
        : null,
    created_by: credential.createdBy,
    created_at: isoTime(credential.createdAt),
    expires_at: isoTime(credential.expiresAt),
    last_used_at: timeOrNull(credential.lastUsedAt),
    revoked_at: timeOrNull(credential.revokedAt),
  });

export function platformCredentialRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  const render = renderAt(context.config.baseUrl);

  app.openapi(list, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { platform } = c.req.valid("param");
    const credentials = requireOk(await listCredentials(context, siteKeyHash, platform));
    return c.json({ items: credentials.map(render) }, 200);
  });

  app.openapi(create, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    requireConfirmed(context, c);
    const { platform } = c.req.valid("param");
    const { kind, expires_in_days: days } = c.req.valid("json");
    const created = requireOk(
      await createCredential(context, siteKeyHash, platform, { kind, days }, actorOf(c)),
    );
    return c.json({ ...render(created.credential), secret: created.secret }, 201);
  });

  app.openapi(revoke, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    requireConfirmed(context, c);
    const { platform: named, credential_id: credentialId } = c.req.valid("param");
    requireOk(await revokeCredential(context, siteKeyHash, { named, credentialId }, actorOf(c)));
    return c.body(null, 204);
  });
}
