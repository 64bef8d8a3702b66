import { receiptText, toHex } from "@gatehouse/protocol";
import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { latestCheckpoint, proveRecord } from "../../actions/audit/prove-record.js";
import type { Context } from "../../context.js";
import type { HonoGroup, HttpEnv } from "../server/hono-group.js";
import { Problem } from "../server/problem.js";

const ABSENT = "There is no such site or record, or only the owner can see the log.";
const lines = { "text/plain": { schema: z.string() } };

const SiteKeyHash = z.string().regex(/^[A-Za-z0-9_-]{43}$/);
const RecordId = z.string().regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const LogParams = z.object({ site_key_hash: SiteKeyHash });
const RecordParams = LogParams.extend({ record_id: RecordId });

const Hash = z.string().regex(/^[0-9a-f]{64}$/);
const ProofBody = z
  .object({
    index: z.int().openapi({ description: "Position of the record in the log. The first is 0." }),
    hashes: z
      .array(Hash)
      .openapi({ description: "The hashes of the inclusion proof, from the leaf to the root." }),
    checkpoint: z.string().openapi({ description: "The signed checkpoint of the tree." }),
    record_hash: Hash,
  })
  .openapi("Proof");

const checkpoint = createRoute({
  method: "get",
  path: "/v1/audit/{site_key_hash}/checkpoint",
  tags: ["Audit log"],
  summary: "Show the newest checkpoint of a site's audit log",
  description:
    "A signed checkpoint (C2SP tlog-checkpoint) contains the name of the log, the number of records and the root of their " +
    "tree. If you keep one, you can check later whether the log was rewritten.",
  security: [],
  request: { params: LogParams },
  responses: {
    200: { description: "The checkpoint.", content: lines },
    404: { description: ABSENT },
  },
});

const proof = createRoute({
  method: "get",
  path: "/v1/audit/{site_key_hash}/proof/{record_id}",
  tags: ["Audit log"],
  summary: "Prove that a record is in the log",
  description:
    "Use the id of the record, which the caller got in the answer. The proof does not reveal the contents of the record. " +
    "`Accept: text/plain` returns the proof as a C2SP tlog-proof.",
  security: [],
  request: { params: RecordParams },
  responses: {
    200: {
      description: "The proof.",
      content: { "application/json": { schema: ProofBody }, ...lines },
    },
    404: { description: ABSENT },
  },
});

/** Whether a client asks for plain text and not for JSON, which is the default. */
function prefersLines(accept = ""): boolean {
  return /(^|,)\s*text\/plain/i.test(accept) && !/application\/json/i.test(accept);
}

/** The public part of a log: its checkpoints and proofs that a record is in it, never its content. */
export function publicAuditRoutes(context: Context): HonoGroup {
  const routes = new OpenAPIHono<HttpEnv>({
    defaultHook: (result) => {
      if (!result.success) throw new Problem("not_found");
    },
  });

  routes.openapi(checkpoint, async (c) => {
    const latest = await latestCheckpoint(context, c.req.valid("param").site_key_hash, "anybody");
    if (!latest.ok) throw new Problem("not_found", { message: latest.detail });
    return c.text(latest.value.note, 200);
  });

  routes.openapi(proof, async (c) => {
    const { site_key_hash, record_id } = c.req.valid("param");
    const proven = await proveRecord(context, site_key_hash, record_id, "anybody");
    if (!proven.ok) throw new Problem("not_found", { message: proven.detail });
    const { index, hashes, note } = proven.value.proof;
    c.header("vary", "Accept");
    if (prefersLines(c.req.header("accept"))) {
      const text = receiptText({ index, hashes, checkpoint: note });
      return c.text(text, 200);
    }
    const { hash } = proven.value.record;
    return c.json({ index, hashes: hashes.map(toHex), checkpoint: note, record_hash: hash }, 200);
  });

  return { name: "audit", cors: "open", routes };
}
