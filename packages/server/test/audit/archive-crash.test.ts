import { describe, expect, test } from "vitest";
import { ARCHIVE_POINTS } from "../../src/infra/crash-points.ts";
import { DATABASES, freshEnvironment, temporaryFolder } from "../harness.ts";
import { archivePath, DAY_MS } from "./archiving.ts";
import { auditKeys, exportDays, verdictOf } from "./exporting.ts";
import { type NodeProcess, startNode } from "./node-process.ts";

/** Deleted in three transactions. */
const DAY_1_RECORDS = 600;
const DAY_2_RECORDS = 50;

/** A log with two closed days, read four days later by nodes that are started one after the other. */
async function writtenLog(dialect: (typeof DATABASES)[number]) {
  const env = await freshEnvironment(dialect);
  const node = await startNode({ ...env, CLOCK_STARTS_MS: String(Date.now()) });
  const domain = "shop.example.com";
  const made = await node.admin("POST", "/v1/admin/sites", { domain, name: domain });
  const { site_key_hash: site } = (await made.json()) as { site_key_hash: string };
  await node.ask({ fill: { site, count: DAY_1_RECORDS } });
  await node.ask({ advance: DAY_MS });
  await node.ask({ fill: { site, count: DAY_2_RECORDS } });
  node.child.kill("SIGKILL");
  await node.died;
  return { site, env: { ...env, CLOCK_AHEAD_MS: String(4 * DAY_MS) } };
}

/** Every day that may be archived by the nodes' clock. */
const BEFORE = () => new Date(Date.now() + 3 * DAY_MS).toISOString().slice(0, 10);

interface Step {
  readonly due: readonly { readonly day: string }[];
  readonly archived: { readonly day: string } | null;
  readonly running: object | null;
}

async function archiveStep(node: NodeProcess, site: string): Promise<Step> {
  const answer = await node.admin("POST", archivePath(site), { before: BEFORE() });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Step;
}

async function archiveAll(node: NodeProcess, site: string): Promise<void> {
  for (;;) {
    const { due, archived, running } = await archiveStep(node, site);
    if (due.length === 0 && archived === null && running === null) return;
  }
}

/** The whole log holds, and every archived day is recorded once. */
async function checkLog(node: NodeProcess, site: string) {
  const texts = (await exportDays(node, site)).map(({ text }) => text);
  const report = await verdictOf(texts, { keys: await auditKeys(node) });
  expect(report.findings).toEqual([]);
  const records = texts.flatMap((text) => JSON.parse(text).bundle.records);
  expect(records.map(({ record }) => record.seq)).toEqual(records.map((_, i) => i));
  const filled = records.filter(({ record }) => record.change?.kind === "filled");
  expect(filled.length).toBe(DAY_1_RECORDS + DAY_2_RECORDS);
  return records.flatMap(({ record }) =>
    record.export?.purpose === "archive" ? [record.export.day] : [],
  );
}

async function archivedDays(node: NodeProcess, site: string): Promise<string[]> {
  const answer = await node.admin("GET", archivePath(site));
  return ((await answer.json()) as { items: { day: string }[] }).items.map(({ day }) => day);
}

describe.each(DATABASES)("a node that archives, on %s,", (dialect) => {
  test("leaves the log complete if it is killed at any named point, and the next node finishes the archive", {
    timeout: 180_000,
  }, async () => {
    const { site, env: withJobs } = await writtenLog(dialect);
    const env = { ...withJobs, WITHOUT_JOBS: "yes" };
    let node = await startNode(env);
    // What each death leaves of archived days: before the commit none, after it the first.
    const left = { "archive.file_written": 0, "archive.verified": 0 };
    for (const point of ARCHIVE_POINTS) {
      await node.ask({ point, times: point === "archive.rows_deleted" ? 2 : 1 });
      await expect(archiveStep(node, site)).rejects.toThrow();
      expect([point, await node.died]).toEqual([point, "SIGKILL"]);
      node = await startNode(env);
      const days = await archivedDays(node, site);
      expect([point, days.length > 0]).toEqual([point, !(point in left)]);
      expect([point, await checkLog(node, site)]).toEqual([point, [...days].reverse()]);
    }
    await archiveAll(node, site);
    const days = await archivedDays(node, site);
    expect(days.length).toBe(2);
    expect(await checkLog(node, site)).toEqual([...days].reverse());
  });

  test("does not disturb another that archives at the same time, and each day is archived once", {
    timeout: 180_000,
  }, async () => {
    const { site, env } = await writtenLog(dialect);
    const nodes = [await startNode(env), await startNode(env)] as const;
    await Promise.all(nodes.map((node) => archiveAll(node, site)));
    const days = await archivedDays(nodes[0], site);
    expect(days.length).toBe(2);
    for (const node of nodes) expect(await checkLog(node, site)).toEqual([...days].reverse());
  });

  test("archives nothing if it sees another folder than the installation's, and reports that", {
    timeout: 180_000,
  }, async () => {
    const { site, env } = await writtenLog(dialect);
    const node = await startNode(env);
    await archiveStep(node, site);
    const stranger = await startNode({ ...env, GATEHOUSE_AUDIT_ARCHIVE_DIR: temporaryFolder() });
    const answer = await stranger.admin("POST", archivePath(site), { before: BEFORE() });
    const { message } = (await answer.json()) as { message: string };
    expect([answer.status, message]).toEqual([
      409,
      expect.stringContaining("is not the archive of this installation"),
    ]);
    const [day] = await archivedDays(node, site);
    const path = `/v1/admin/sites/${site}/audit/exports?day=${day}`;
    expect((await stranger.admin("GET", path)).status).toBe(503);
    expect((await node.admin("GET", path)).status).toBe(200);
  });
});
