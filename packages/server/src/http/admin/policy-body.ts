import { z } from "@hono/zod-openapi";
import type { PublishedPolicy } from "../../domain/policies/policy.js";
import { isoTime } from "../../infra/clock.js";
import { Timestamp } from "../server/schemas.js";

const Digest = z.string().openapi({ description: "SHA-256 of the document's JCS text, in hex." });

export const PolicyBody = z
  .object({
    version: z.int(),
    digest: Digest,
    document: z.record(z.string(), z.unknown()),
    published_at: Timestamp,
  })
  .openapi("Policy");

export const PolicyVersionItem = z
  .object({ version: z.int(), digest: Digest, published_at: Timestamp })
  .openapi("PolicyVersionItem");

export function policyBody(policy: PublishedPolicy): z.infer<typeof PolicyBody> {
  const { version, digest, document, publishedAt } = policy;
  return { version, digest, document, published_at: isoTime(publishedAt) };
}
