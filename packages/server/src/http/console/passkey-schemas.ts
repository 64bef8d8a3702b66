import { z } from "@hono/zod-openapi";

const ID_CHARS_MAX = 1400;
const PART_CHARS_MAX = 16_384;
const Base64url = z
  .string()
  .regex(/^[\w-]+$/, "must be base64url")
  .max(PART_CHARS_MAX);
const Id = Base64url.max(ID_CHARS_MAX);

/** Members that browsers add, which say nothing that is checked. */
const ANSWER = {
  id: Id,
  rawId: Id,
  type: z.literal("public-key"),
  clientExtensionResults: z.looseObject({}).default({}),
  authenticatorAttachment: z.enum(["platform", "cross-platform"]).optional(),
};

/** What `navigator.credentials.get()` returns, as JSON. */
export const PasskeyAnswer = z
  .object({
    ...ANSWER,
    response: z.object({
      clientDataJSON: Base64url,
      authenticatorData: Base64url,
      signature: Base64url,
      userHandle: Base64url.optional(),
    }),
  })
  .openapi("PasskeyAnswer");

/** What `navigator.credentials.create()` returns, as JSON. */
export const NewPasskeyAnswer = z
  .object({
    ...ANSWER,
    response: z.object({
      clientDataJSON: Base64url,
      attestationObject: Base64url,
      transports: z.array(z.string().max(32)).max(8).optional(),
    }),
  })
  .openapi("NewPasskeyAnswer");
