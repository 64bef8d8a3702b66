import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { ArchiveRuns } from "../../actions/audit/archive-runs.js";
import { DAYS_LISTED_MAX, listArchivedDays } from "../../actions/audit/logs.js";
import type { Context } from "../../context.js";
import type { ArchivedDay } from "../../domain/audit/archive/part.js";
import { isoTime } from "../../infra/clock.js";
import { requireOk } from "../server/require-ok.js";
import { json, Timestamp } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireLogs } from "./access.js";
import { Chain, type LogOwner } from "./audit-schemas.js";
import { adminRoute } from "./describe.js";

const TAGS = ["Audit log"];

const Day = z.string().openapi({ example: "2030-05-17" });

const ArchivedDayBody = z
  .object({
    chain: Chain,
    day: Day,
    first_seq: z.int(),
    records: z.int(),
    parts: z.int(),
    bytes: z.int(),
    archived_at: Timestamp,
  })
  .openapi("ArchivedDay");

const DueDayBody = z
  .object({ chain: Chain, day: Day, first_seq: z.int(), records: z.int() })
  .openapi("DueDay");

const ArchiveBody = strict({
  before: z
    .string()
    .regex(/^\d{4}-\d\d-\d\d$/, "must be a day such as 2030-05-17")
    .openapi({
      description: "Archives days before this one. Yesterday always stays in the database.",
    }),
  dry_run: z
    .boolean()
    .default(false)
    .openapi({ description: "Only lists the days that would be archived." }),
});

const StepBody = z
  .object({
    due: z
      .array(DueDayBody)
      .openapi({ description: "Days that are still to be archived, oldest first." }),
    archived: DueDayBody.nullable().openapi({ description: "The day that this call archived." }),
    running: DueDayBody.extend({ written: z.int() }).nullable().openapi({
      description: "The day that is being archived, and how many of its records are written.",
    }),
  })
  .openapi("ArchiveStep");

function describeList({ path, params, of }: LogOwner) {
  return adminRoute("get", `${path}/audit/archives`, {
    tags: TAGS,
    summary: `List the archived days of ${of}`,
    description:
      "Their records are in files instead of the database. Proofs, exports and reading still work as " +
      `before. At most ${DAYS_LISTED_MAX} days.`,
    params,
    answer: json(
      z.object({ items: z.array(ArchivedDayBody) }),
      "The archived days, by log, newest first.",
    ),
  });
}

function describeArchive({ path, params, of }: LogOwner) {
  return adminRoute("post", `${path}/audit/archives`, {
    tags: TAGS,
    summary: `Archive the oldest past day of the audit log of ${of}`,
    description:
      "Writes the signed parts of the day to the archive folder and verifies them. Then it records the " +
      "archive and deletes the rows. Repeat the call until `due` is empty and no day is `running`. " +
      "Requires an operator token.",
    params,
    body: ArchiveBody,
    answer: json(StepBody, "The progress of archiving."),
    errors: ["conflict"],
  });
}

const archivedBody = (day: ArchivedDay): z.infer<typeof ArchivedDayBody> => ({
  chain: day.chain,
  day: day.day,
  first_seq: day.firstSeq,
  records: day.count,
  parts: day.parts,
  bytes: day.bytes,
  archived_at: isoTime(day.archivedAt),
});

const dueBody = (day: { chain: string; day: string; firstSeq: number; count: number }) => ({
  chain: day.chain,
  day: day.day,
  first_seq: day.firstSeq,
  records: day.count,
});

export function auditArchiveRoutes(
  app: OpenAPIHono<AdminEnv>,
  context: Context,
  owner: LogOwner,
): void {
  const runs = new ArchiveRuns(context);

  app.openapi(describeList(owner), async (c) => {
    const { owner } = await requireLogs(context, c, "auditor");
    const days = await listArchivedDays(context, owner);
    return c.json({ items: days.map(archivedBody) }, 200);
  });

  app.openapi(describeArchive(owner), async (c) => {
    const { owner } = await requireLogs(context, c, "operator");
    const { before, dry_run } = c.req.valid("json");
    const step = requireOk(await runs.step(owner, { before, dryRun: dry_run }, actorOf(c)));
    const { due, archived, running } = step;
    const stepBody = {
      due: due.map(dueBody),
      archived: archived && dueBody(archived),
      running: running && { ...dueBody(running), written: running.written },
    };
    return c.json(stepBody, 200);
  });
}
