import { type OpenAPIHono, z } from "@hono/zod-openapi";
import {
  KEY_PURPOSES,
  listSigningKeys,
  rotateSigningKey,
} from "../../actions/installation/signing-keys.js";
import type { Context } from "../../context.js";
import { Problem } from "../server/problem.js";
import { json, Timestamp, timeOrNull } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, requireConfirmed, requireRole } from "./access.js";
import { adminRoute } from "./describe.js";

const Purpose = z.enum(KEY_PURPOSES).openapi({ description: "What the key signs." });

const KeyBody = z
  .object({
    kid: z.string(),
    purpose: Purpose,
    state: z.enum(["current", "next", "retired", "alias"]),
    x: z.string().openapi({ description: "The public key in base64url." }),
    listed_until: Timestamp.nullable(),
  })
  .openapi("Key");

const list = adminRoute("get", "/v1/admin/keys", {
  tags: ["Keys"],
  summary: "List the signing keys",
  answer: json(z.object({ items: z.array(KeyBody) }), "The keys."),
  errors: ["forbidden"],
});

const rotate = adminRoute("post", "/v1/admin/keys/rotate", {
  tags: ["Keys"],
  summary: "Rotate a signing key",
  description:
    "The announced key becomes the current key, and a new key is announced. The old key stays listed. Returns " +
    "409 while verifiers may not know the announced key yet; use `force` if the current key is lost. " +
    "`stolen` replaces both keys and stops listing them. What they signed no longer verifies.",
  body: strict({
    purpose: Purpose,
    force: z.boolean().default(false),
    stolen: z.boolean().default(false),
  }),
  answer: json(
    z.object({ purpose: Purpose, kid: z.string(), retired: z.string() }),
    "The key was rotated.",
  ),
  errors: ["conflict"],
});

export function keyRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    requireRole(c, "operator");
    const keys = await listSigningKeys(context);
    const items = keys.map(({ kid, purpose, state, jwk, listedUntil }) => ({
      kid,
      purpose,
      state,
      x: jwk.x,
      listed_until: timeOrNull(listedUntil),
    }));
    return c.json({ items }, 200);
  });

  app.openapi(rotate, async (c) => {
    const principal = requireRole(c, "operator");
    requireConfirmed(context, c);
    const request = c.req.valid("json");
    const { purpose } = request;
    const result = await rotateSigningKey(context, request, principal);
    if (!result.ok) {
      throw new Problem("conflict", {
        message:
          `The next ${purpose} key was announced too recently, so verifiers may not know it yet. Try ` +
          `again in ${result.detail} seconds, or use force if the current key is lost.`,
        headers: { "retry-after": result.detail },
      });
    }
    return c.json({ purpose, ...result.value }, 200);
  });
}
