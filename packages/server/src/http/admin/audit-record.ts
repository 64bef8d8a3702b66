import { toHex } from "@gatehouse/protocol";
import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { readProvenRecord } from "../../actions/audit/read-records.js";
import type { Context } from "../../context.js";
import { requireOk } from "../server/require-ok.js";
import { json } from "../server/schemas.js";
import { type AdminEnv, actorOf, requireLogs } from "./access.js";
import { Chain, EntryBody, entryBody, type LogOwner } from "./audit-schemas.js";
import { adminRoute } from "./describe.js";

const ProvenRecordBody = z
  .object({
    chain: Chain,
    entry: EntryBody,
    proof: z.object({
      index: z.int().openapi({ description: "Position of the record in the log. The first is 0." }),
      hashes: z.array(z.string()).openapi({
        description: "The hashes of the inclusion proof, from the leaf to the root, in hex.",
      }),
      checkpoint: z.string().openapi({ description: "The signed checkpoint of the tree." }),
    }),
  })
  .openapi("ProvenRecord");

function describe({ path, params }: LogOwner) {
  return adminRoute("get", `${path}/audit/records/{record_id}`, {
    tags: ["Audit log"],
    summary: "Show a record with the proof that it is in the log",
    description:
      "Works even if the log is not public. The log records that you read it, except for records about reading. The proof for a " +
      "site is the same as at `/v1/audit/{site_key_hash}/proof/{record_id}`.",
    params: params.extend({
      record_id: z
        .string()
        .regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
        .openapi({ param: { name: "record_id", in: "path" } }),
    }),
    answer: json(ProvenRecordBody, "The record and its proof."),
  });
}

export function auditRecordRoute(
  app: OpenAPIHono<AdminEnv>,
  context: Context,
  owner: LogOwner,
): void {
  app.openapi(describe(owner), async (c) => {
    const { record_id } = c.req.valid("param");
    const { owner } = await requireLogs(context, c, "auditor");
    const { record, proof } = requireOk(
      await readProvenRecord(context, owner, record_id, actorOf(c)),
    );
    const { index, hashes, note } = proof;
    const proofBody = { index, hashes: hashes.map(toHex), checkpoint: note };
    return c.json({ chain: record.chain, entry: entryBody(record), proof: proofBody }, 200);
  });
}
