import { cpSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { backup } from "../../src/maintenance/backup.ts";
import { doctor } from "../../src/maintenance/doctor.ts";
import { restore } from "../../src/maintenance/restore.ts";
import {
  createSite,
  DATABASES,
  freshEnvironment,
  startServer,
  temporaryFolder,
} from "../harness.ts";
import { secretsKeyFile } from "../restoring.ts";
import { auditKeys, exportDay, exportDays, type Told, verdictOf } from "./exporting.ts";

describe.each(DATABASES)("a log restored into %s", (dialect) => {
  test("is never continued: a new epoch names its end, and both verify together", async () => {
    const from = await freshEnvironment("sqlite");
    const first = await startServer(from);
    const { site_key_hash: site } = await createSite(first, "shop.example.com");
    const out = join(temporaryFolder(), "backup.ndjson.gz");
    await backup(from, { out });
    // What the first installation goes on to record is lost, and must not be told differently.
    await first.admin("PATCH", `/v1/admin/sites/${site}`, { name: "After the backup" });
    await first.stop();
    const to = await freshEnvironment(dialect);
    await restore(to, out, { secretsKeyFile: secretsKeyFile(from) });
    const server = await startServer(to);
    await server.context.audit.maintainLogs();
    const logs = (await server.admin("GET", `/v1/admin/sites/${site}/audit/logs`)).body.items;
    expect(logs.map(({ chain, state, records }: Told) => [chain, state, records])).toEqual([
      ["shop.example.com/audit/2", "open", 1],
      ["shop.example.com/audit/1", "closed", 3],
    ]);
    expect((await server.admin("PATCH", `/v1/admin/sites/${site}`, { name: "Again" })).status).toBe(
      200,
    );
    const now = await exportDays(server, site);
    expect(now[0]?.name).toMatch(/^shop\.example\.com-epoch-2-\d{4}-\d\d-\d\d\.json$/);
    const day = logs[1].first_day;
    const before = await exportDay(server, site, { day, chain: logs[1].chain });
    const texts = [...before, ...now].map(({ text }) => text);
    const report = await verdictOf(texts, { keys: await auditKeys(server) });
    expect([report.findings, report.logs.length]).toEqual([[], 2]);
    const [genesis] = JSON.parse(now[0]?.text as string).bundle.records;
    expect(genesis.record.previous).toMatchObject({ chain: "shop.example.com/audit/1", size: 3 });
  });
});

test("checkpoints of a later time do not block a restore, and their epochs are not reused", async () => {
  const from = await freshEnvironment("sqlite");
  const first = await startServer(from);
  await createSite(first, "shop.example.com");
  const out = join(temporaryFolder(), "backup.ndjson.gz");
  await backup(from, { out });
  await createSite(first, "late.example.com");
  await first.stop();
  const to = await freshEnvironment("sqlite");
  const [old, now] = [from.GATEHOUSE_DATA_DIR, to.GATEHOUSE_DATA_DIR] as [string, string];
  cpSync(join(old, "checkpoints"), join(now, "checkpoints"), { recursive: true });
  await restore(to, out, { secretsKeyFile: secretsKeyFile(from) });
  const server = await startServer(to);
  const finding = (await doctor(to)).find(({ part }) => part === "audit log");
  expect([finding?.verdict, finding?.message]).toEqual([
    "warning",
    expect.stringContaining("late.example.com/audit/1"),
  ]);
  const late = await createSite(server, "late.example.com");
  const logs = await server.admin("GET", `/v1/admin/sites/${late.site_key_hash}/audit/logs`);
  expect(logs.body.items[0].chain).toBe("late.example.com/audit/2");
});

test("doctor warns about what a restore lost until the log itself shows it", async () => {
  const from = await freshEnvironment("sqlite");
  const first = await startServer(from);
  const shop = await createSite(first, "shop.example.com");
  const out = join(temporaryFolder(), "backup.ndjson.gz");
  await backup(from, { out });
  const admin = `/v1/admin/sites/${shop.site_key_hash}`;
  const publishMore = async (name: string) => {
    await first.admin("PATCH", admin, { name });
    await (await fetch(`${first.url}/v1/audit/${shop.site_key_hash}/checkpoint`)).text();
  };
  await publishMore("Another name");
  const to = await freshEnvironment("sqlite");
  const [old, now] = [from, to].map(({ GATEHOUSE_DATA_DIR: folder }) =>
    join(folder as string, "checkpoints"),
  ) as [string, string];
  cpSync(old, now, { recursive: true });
  await publishMore("A third name");
  await first.stop();
  await restore(to, out, { secretsKeyFile: secretsKeyFile(from) });
  const found = async () => {
    const finding = (await doctor(to)).find(({ part }) => part === "audit log");
    return [finding?.verdict, finding?.message];
  };
  expect(await found()).toEqual([
    "warning",
    expect.stringMatching(
      /fewer records than were published of shop\.example\.com\/audit\/1: .* records the loss$/,
    ),
  ]);
  const server = await startServer(to);
  await server.admin("PATCH", admin, { name: "A third name" });
  expect(await found()).toEqual([
    "good",
    expect.stringMatching(
      /; shop\.example\.com\/audit\/1 has \d+ of \d+ records left, as recorded in shop\.example\.com\/audit\/2 at \S+Z$/,
    ),
  ]);
  // Where more was published than the successor names, it tells nobody of that.
  const file = "shop.example.com_audit_1.txt";
  cpSync(join(old, file), join(now, file));
  expect((await found())[0]).toBe("warning");
});
