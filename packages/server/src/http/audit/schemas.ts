import { z } from "@hono/zod-openapi";

const SiteKeyHash = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const RecordId = z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

export const LogParams = z.object({ site_key_hash: SiteKeyHash });
export const RecordParams = LogParams.extend({ record_id: RecordId });

const Hash = z.string().regex(/^[0-9a-f]{64}$/);

export const ProofBody = z
  .object({
    index: z.int().openapi({ description: "Place of the record; the first is 0." }),
    hashes: z.array(Hash).openapi({ description: "Beside its way to the root, from the leaf up." }),
    checkpoint: z.string().openapi({ description: "Signed checkpoint of that tree." }),
    record_hash: Hash,
  })
  .openapi("Proof");
