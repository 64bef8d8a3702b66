import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Overrides } from "../../src/context.ts";
import { actorDraft, serviceActor } from "../../src/domain/audit/drafts.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import type { Dialect } from "../../src/infra/db/database.ts";
import { createSite, freshEnvironment, NOON, startServer, type TestServer } from "../harness.ts";

export const DAY_MS = 86_400_000;
export const DAY_1 = "2030-05-17";
export const DAY_2 = "2030-05-18";
export const DAY_3 = "2030-05-19";
export const DAY_4 = "2030-05-20";

/** Records changes of a site, as many as asked for; their ids. */
export async function writeRecords(server: TestServer, site: string, count: number) {
  const { audit, clock } = server.context;
  const { recordIds } = await audit.commit(site, async () => ({
    records: Array.from({ length: count }, (_, i) =>
      actorDraft("site.changed", serviceActor("test"), clock.now(), { change: { kind: `n${i}` } }),
    ),
    answer: null,
  }));
  return recordIds;
}

/** A site with three closed days in its log and a fourth that runs, at noon. */
export async function startShop(
  dialect: Dialect,
  counts: readonly number[] = [1300, 40, 7],
  settings: Readonly<Record<string, string>> = {},
  overrides: Overrides = {},
) {
  const clock = new ManualClock(NOON);
  const env = { ...(await freshEnvironment(dialect)), ...settings };
  const server = await startServer(env, { clock, ...overrides });
  const { site_key_hash: site } = await createSite(server, "shop.example.com");
  const days: (readonly string[])[] = [];
  for (const count of counts) {
    days.push(await writeRecords(server, site, count));
    clock.advance(DAY_MS);
  }
  await server.context.audit.maintainLog(site);
  return { clock, env, server, site, days };
}

export const archivePath = (site: string) => `/v1/admin/sites/${site}/audit/archives`;

/** Archives every day before one; the answers. */
export async function archiveAll(server: TestServer, site: string, before: string) {
  const archived: string[] = [];
  for (;;) {
    const { status, body } = await server.admin("POST", archivePath(site), { before });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
    if (body.archived !== null) archived.push(body.archived.day);
    if (body.archived === null && body.running === null) return archived;
  }
}

/** Paths of the archive's files, sorted. */
export function archiveFiles(server: TestServer): string[] {
  const folder = server.context.config.archiveDir;
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => join(folder, name));
}

/** How many rows the database has of a log's records before a place. */
export async function rowsBefore({ context }: TestServer, seq: number): Promise<number> {
  const sql = "SELECT COUNT(*) AS rows FROM audit_records WHERE seq < ?";
  return (await context.db.get<{ rows: number }>(sql, seq))?.rows ?? -1;
}
