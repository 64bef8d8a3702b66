import type { JsonObject } from "@gatehouse/protocol";
import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { exportDay } from "../../actions/audit/export-day.js";
import { renewLog } from "../../actions/audit/logs.js";
import { orderNumbers } from "../../actions/audit/order-numbers.js";
import { latestCheckpoint } from "../../actions/audit/prove-record.js";
import { readRecords } from "../../actions/audit/read-records.js";
import type { Context } from "../../context.js";
import { EXPORT_FORMATS } from "../../domain/audit/exports/snapshot.js";
import { dayOf, type LogHead } from "../../domain/audit/log.js";
import { isoTime } from "../../infra/clock.js";
import { line, searchText } from "../server/fields.js";
import { requireOk } from "../server/require-ok.js";
import { json, Timestamp } from "../server/schemas.js";
import { streamOf } from "../server/streaming.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireConfirmed, requireLogs } from "./access.js";
import { Chain, entryBody, ListedEntryBody, type LogOwner } from "./audit-schemas.js";
import { adminRoute } from "./describe.js";
import { NextCursor, PageQuery, readPlace, spanOf } from "./schemas.js";

const REASON_CHARS_MAX = 500;
const TYPE_CHARS_MAX = 64;
/** An address of 2,048 characters is longer in its normal form. */
const ACTOR_CHARS_MAX = 8192;
const PARTS_MAX = 1_000_000;
const TAGS = ["Audit log"];

const LogBody = z
  .object({
    chain: Chain,
    epoch: z.int(),
    state: z.enum(["open", "closed"]),
    records: z.int(),
    first_day: z.string(),
    last_day: z.string(),
    opened_at: Timestamp,
    held: z
      .string()
      .nullable()
      .openapi({ description: "Why the log is frozen. null if it is not." }),
  })
  .openapi("AuditLog");

const RenewBody = strict({
  reason: line(REASON_CHARS_MAX).openapi({ description: "Why. It stays in the log permanently." }),
  force: z.boolean().default(false),
});

/** Describes the routes that read and export the records of a log. */
function describeReading({ path, params, of }: LogOwner) {
  const records = adminRoute("get", `${path}/audit/records`, {
    tags: TAGS,
    summary: `Read the audit log of ${of}`,
    description:
      "Newest first. With `from_seq`, oldest first from that record on. The log records that you read it, except " +
      "if the page only shows records about your own reading.",
    params,
    query: PageQuery.extend({
      type: searchText(TYPE_CHARS_MAX).optional(),
      actor: searchText(ACTOR_CHARS_MAX)
        .min(1)
        .optional()
        .openapi({
          description:
            "Only what this person, token, agent or platform did, or asked for. By id. A page can have fewer records than " +
            "`limit` and a `next_cursor`.",
          example: "per_2Xk9",
        }),
      from: Timestamp.optional().openapi({ description: "Only records written then or later." }),
      to: Timestamp.optional().openapi({ description: "Only records written before." }),
      from_seq: z.coerce.number().int().min(0).optional(),
      chain: Chain.optional(),
    }),
    answer: json(
      z.object({ chain: Chain, items: z.array(ListedEntryBody), next_cursor: NextCursor }),
      "A page of records.",
    ),
  });

  const exports = adminRoute("get", `${path}/audit/exports`, {
    tags: TAGS,
    summary: `Export a day of the audit log of ${of}`,
    description:
      "Exports a UTC day in parts of 1,000 records: `json` (signed), `html` (a page that verifies itself) or " +
      "`ocsf` (OCSF 1.8.0 lines). Part 1 fixes the contents of the later parts for an hour. " +
      "`Link` has the address of the next part. With `note`, you get the signed note that belongs to the file.",
    params,
    query: z.object({
      day: z.string().regex(/^\d{4}-\d\d-\d\d$/, "must be a day such as 2030-05-17"),
      format: z.enum(EXPORT_FORMATS).default("json"),
      part: z.coerce.number().int().min(1).max(PARTS_MAX).default(1),
      note: z.enum(["true", "false"]).default("false"),
      chain: Chain.optional(),
    }),
    answer: {
      description: "The part as a file.",
      content: {
        "application/json": { schema: z.unknown() },
        "text/html": { schema: z.string() },
        "application/x-ndjson": { schema: z.string() },
      },
    },
    errors: ["conflict"],
  });

  return { records, exports };
}

/** Describes the routes that list, show and renew logs. */
function describeLogs({ path, params, of }: LogOwner) {
  const logs = adminRoute("get", `${path}/audit/logs`, {
    tags: TAGS,
    summary: `List the audit logs of ${of}`,
    description: "One log is open. A new domain or a restore closes the log and opens another.",
    params,
    answer: json(z.object({ items: z.array(LogBody) }), "The logs, newest first."),
  });

  const checkpoint = adminRoute("get", `${path}/audit/checkpoint`, {
    tags: TAGS,
    summary: `Show the newest checkpoint of the audit log of ${of}`,
    params,
    answer: { description: "The checkpoint.", content: { "text/plain": { schema: z.string() } } },
  });

  const renew = adminRoute("post", `${path}/audit/epochs`, {
    tags: TAGS,
    summary: `Close the audit log of ${of} and open the next one`,
    description:
      "Use this for a frozen log, whose database is behind a published checkpoint. With `force` it works for " +
      "any log. The new log records where the old one ended, who closed it, and why. Requires an operator token.",
    params,
    body: RenewBody,
    created: json(LogBody, "The new log."),
    errors: ["conflict"],
  });

  return { logs, checkpoint, renew };
}

export function auditRoutes(app: OpenAPIHono<AdminEnv>, context: Context, owner: LogOwner): void {
  const { audit } = context;
  const { logs, checkpoint, renew } = describeLogs(owner);
  const { records, exports } = describeReading(owner);

  const render = (log: LogHead): z.infer<typeof LogBody> => ({
    chain: log.chain,
    epoch: log.epoch,
    state: log.state,
    records: log.size,
    first_day: dayOf(log.openedAt),
    last_day: dayOf(log.recordedAt),
    opened_at: isoTime(log.openedAt),
    held: audit.freezeReason(log.chain) ?? null,
  });

  app.openapi(logs, async (c) => {
    const { logs: heads } = await requireLogs(context, c, "auditor");
    return c.json({ items: heads.map(render) }, 200);
  });

  app.openapi(records, async (c) => {
    const { owner } = await requireLogs(context, c, "auditor");
    const { limit, cursor, type, actor, from_seq, chain, ...span } = c.req.valid("query");
    const before = readPlace(cursor);
    const { from: since, to: until } = spanOf(span);
    const query = {
      chain: chain ?? null,
      type: type ?? null,
      actor: actor ?? null,
      since: since ?? null,
      until: until ?? null,
      from: from_seq ?? null,
      before,
      limit,
    };
    const page = requireOk(await readRecords(context, owner, query, actorOf(c)));
    const next_cursor = page.next === undefined ? undefined : String(page.next);
    const entries = page.records.map(entryBody);
    const records = entries.map(({ record }) => record as JsonObject);
    const numberOf = await orderNumbers(context.db, owner, records);
    const items = entries.map((entry, i) => ({
      ...entry,
      order_number: numberOf(records[i] as JsonObject),
    }));
    return c.json({ chain: page.chain, items, next_cursor }, 200);
  });

  app.openapi(exports, async (c) => {
    const { owner } = await requireLogs(context, c, "auditor");
    const { day, format, part, note, chain } = c.req.valid("query");
    const request = { day, format, part, chain: chain ?? null, note: note === "true" };
    const { name, type, parts, chunks } = requireOk(
      await exportDay(context, owner, request, actorOf(c)),
    );
    c.header("content-disposition", `attachment; filename="${name}"`);
    if (part < parts) {
      const next = new URLSearchParams({ ...c.req.query(), part: String(part + 1) });
      c.header("link", `<${c.req.path}?${next}>; rel="next"`);
    }
    return c.body(streamOf(chunks), 200, { "content-type": type });
  });

  app.openapi(checkpoint, async (c) => {
    const { owner } = await requireLogs(context, c, "auditor");
    const latest = requireOk(await latestCheckpoint(context, owner, "owner"));
    return c.text(latest.note, 200);
  });

  app.openapi(renew, async (c) => {
    const { owner } = await requireLogs(context, c, "operator");
    requireConfirmed(context, c);
    const { reason, force } = c.req.valid("json");
    const epoch = { reason, actor: actorOf(c) };
    const log = requireOk(await renewLog(context, owner, epoch, { force }));
    return c.json(render(log), 201);
  });
}
