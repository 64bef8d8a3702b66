import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fromHex, readCheckpoint, signMandate, verifyInclusion } from "@gatehouse/protocol";
import { describe, expect, test } from "vitest";
import { archiveDueDays } from "../../src/actions/audit/archive-days.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { backup } from "../../src/maintenance/backup.ts";
import { doctor } from "../../src/maintenance/doctor.ts";
import { checkArchive } from "../../src/maintenance/doctor-archive.ts";
import { restore } from "../../src/maintenance/restore.ts";
import {
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
  temporaryFolder,
} from "../harness.ts";
import { POLICY, submitting } from "../mandates/submitting.ts";
import { secretsKeyFile } from "../restoring.ts";
import {
  archiveAll,
  archiveFiles,
  archivePath,
  DAY_1,
  DAY_2,
  DAY_3,
  DAY_4,
  DAY_MS,
  rowsBefore,
  startShop,
  writeRecords,
} from "./archiving.ts";
import { auditKeys, exportDay, exportDays, findingsOfSite, verdictOf } from "./exporting.ts";

async function proofOf(server: TestServer, site: string, recordId: string) {
  const answer = await fetch(`${server.url}/v1/audit/${site}/proof/${recordId}`);
  return { status: answer.status, body: await answer.json() };
}

/** Whether a proof leads from its record to the root of its checkpoint. */
async function proves(server: TestServer, site: string, recordId: string): Promise<boolean> {
  const { status, body } = await proofOf(server, site, recordId);
  if (status !== 200) return false;
  const note = body.checkpoint as string;
  const read = readCheckpoint(note.slice(0, note.lastIndexOf("\n\n") + 1));
  if (!read.ok) return false;
  const hashes = body.hashes.map((text: string) => fromHex(text));
  const proof = { index: BigInt(body.index), size: BigInt(read.value.size), hashes };
  const leaf = fromHex(body.record_hash) as Uint8Array;
  return (await verifyInclusion(proof, leaf, read.value.root)).ok;
}

/** A run that is under way began earlier: the next one sees everything that is due now. */
async function runArchiveJob({ context }: TestServer): Promise<void> {
  await context.jobs.runDue();
  await archiveDueDays(context, context.clock.now(), () => false);
}

describe.each(TIER_DATABASES)("archived days on %s", (dialect) => {
  test("leave the database, and every record of them is proven and exported as before", async () => {
    const { server, site, days } = await startShop(dialect);
    const pin = await (await fetch(`${server.url}/v1/audit/${site}/checkpoint`)).text();
    const before = (await exportDays(server, site)).map(({ text }) => JSON.parse(text).bundle);
    expect(await archiveAll(server, site, DAY_3)).toEqual([DAY_1, DAY_2]);

    const archived = before.filter(({ day }) => day < DAY_3);
    const end = archived.reduce((sum, { count }) => sum + count, 0);
    expect([end > 1340, await rowsBefore(server, end)]).toEqual([true, 0]);
    for (const ids of days) {
      for (const id of [ids[0], ids[Math.floor(ids.length / 2)], ids.at(-1)]) {
        expect([id, await proves(server, site, id as string)]).toEqual([id, true]);
      }
    }
    const after = await exportDays(server, site);
    const bundles = after
      .map(({ text }) => JSON.parse(text).bundle)
      .filter(({ day }) => day < DAY_4);
    expect(bundles.map(({ records }) => records)).toEqual(
      before.filter(({ day }) => day < DAY_4).map(({ records }) => records),
    );
    expect(bundles.slice(0, 3)).toEqual(before.slice(0, 3));
    const keys = await auditKeys(server);
    const kept = readCheckpoint(pin.slice(0, pin.lastIndexOf("\n\n") + 1));
    if (!kept.ok) throw new Error(kept.detail);
    const report = await verdictOf(
      after.map(({ text }) => text),
      { keys, pins: [kept.value], replay: true },
    );
    expect([report.findings, report.answers.anchoring.verdict]).toEqual([[], "holds"]);
  });

  test("lie in files that verify by themselves, with a checkpoint kept from before", async () => {
    const { server, site } = await startShop(dialect);
    await archiveAll(server, site, DAY_3);
    const files = archiveFiles(server);
    expect(files.map((file) => file.replace(/^.*\/(.*)-[0-9a-f]{16}\.json$/, "$1"))).toEqual([
      `${DAY_1}-part-1-of-2`,
      `${DAY_1}-part-2-of-2`,
      DAY_2,
    ]);
    const keys = await auditKeys(server);
    const texts = files.map((file) => readFileSync(file, "utf8"));
    const report = await verdictOf(texts, { keys, replay: true });
    expect([report.ok, report.findings]).toEqual([true, []]);
  });

  test("are shown in pages, one by one and by type, as before", async () => {
    const { server, site, days } = await startShop(dialect);
    const read = async () => {
      const seqs: number[] = [];
      const base = `/v1/admin/sites/${site}/audit/records?limit=200&type=site.changed`;
      for (let cursor = ""; ; ) {
        const { status, body } = await server.admin("GET", base + cursor);
        expect(status).toBe(200);
        seqs.push(...body.items.map((item: { record: { seq: number } }) => item.record.seq));
        if (body.next_cursor === undefined) return seqs;
        cursor = `&cursor=${body.next_cursor}`;
      }
    };
    const before = await read();
    await archiveAll(server, site, DAY_3);
    expect(await read()).toEqual(before);
    const from = await server.admin(
      "GET",
      `/v1/admin/sites/${site}/audit/records?from_seq=995&limit=10`,
    );
    const seqs = from.body.items.map(({ record }: { record: { seq: number } }) => record.seq);
    expect(seqs).toEqual([995, 996, 997, 998, 999, 1000, 1001, 1002, 1003, 1004]);
    const id = days[0]?.[17] as string;
    const one = await server.admin("GET", `/v1/admin/sites/${site}/audit/records/${id}`);
    expect([one.status, one.body.entry.record.record_id]).toEqual([200, id]);
  });

  test("are exported as a page and as OCSF lines, each with its note", async () => {
    const { server, site } = await startShop(dialect, [5, 3]);
    const read = async () => {
      const texts: string[] = [];
      for (const format of ["html", "ocsf"]) {
        for (const note of ["false", "true"]) {
          const [file] = await exportDay(server, site, { day: DAY_1, format, note });
          texts.push(file?.text ?? "");
        }
      }
      return texts;
    };
    const before = await read();
    await archiveAll(server, site, DAY_2);
    expect(await rowsBefore(server, 5)).toBe(0);
    expect(await read()).toEqual(before);
  });

  test("are recorded in the log itself, and the log goes on and verifies", async () => {
    const { clock, server, site } = await startShop(dialect, [5, 3, 2]);
    await archiveAll(server, site, DAY_3);
    await writeRecords(server, site, 3);
    clock.advance(DAY_MS);
    await writeRecords(server, site, 3);
    const { body } = await server.admin(
      "GET",
      `/v1/admin/sites/${site}/audit/records?type=audit.exported`,
    );
    const told = body.items.map(({ record }: { record: { export: object } }) => record.export);
    expect(told).toEqual([
      expect.objectContaining({ purpose: "archive", day: DAY_2, parts: 1 }),
      expect.objectContaining({ purpose: "archive", day: DAY_1, parts: 1, first_seq: 0 }),
    ]);
    expect(await findingsOfSite(server, site)).toEqual([]);
    const list = await server.admin("GET", archivePath(site));
    expect(list.body.items.map(({ day }: { day: string }) => day)).toEqual([DAY_2, DAY_1]);
  });

  test("stay archived after a restart, and the log still matches its published checkpoints", async () => {
    const { clock, env, server, site, days } = await startShop(dialect, [5, 3, 2]);
    await archiveAll(server, site, DAY_3);
    await server.stop();
    const again = await startServer(env, { clock });
    const { body } = await again.admin("GET", `/v1/admin/sites/${site}/audit/logs`);
    expect(body.items[0].held).toBe(null);
    expect(await proves(again, site, days[0]?.[2] as string)).toBe(true);
    await writeRecords(again, site, 1);
    expect(await findingsOfSite(again, site)).toEqual([]);
  });

  test("need their files: a missing or changed file is named, and its day is never shown as empty", async () => {
    const { env, clock, server, site, days } = await startShop(dialect, [5, 3, 2]);
    await archiveAll(server, site, DAY_3);
    await server.stop();
    const [one, two] = archiveFiles(server) as [string, string];
    rmSync(one);
    writeFileSync(two, readFileSync(two, "utf8").replace('"n1"', '"n7"'));
    const again = await startServer(env, { clock });

    const missing = await proofOf(again, site, days[0]?.[1] as string);
    expect([missing.status, missing.body.error]).toEqual([503, "unavailable"]);
    expect(missing.body.message).toMatch(/2030-05-17 are archived.* is missing/);
    const changed = await again.admin(
      "GET",
      `/v1/admin/sites/${site}/audit/records/${days[1]?.[1]}`,
    );
    expect([changed.status, changed.body.message]).toEqual([
      503,
      expect.stringMatching(/2030-05-18 are archived.* is damaged/),
    ]);
    const exported = await again.admin("GET", `/v1/admin/sites/${site}/audit/exports?day=${DAY_1}`);
    expect([exported.status, exported.body.error]).toEqual([503, "unavailable"]);
    const finding = await checkArchive(again.context.config, again.context.db);
    expect([finding.verdict, finding.message]).toEqual([
      "failure",
      expect.stringMatching(
        /2030-05-17-[0-9a-f]{16}\.json.* is missing; .*2030-05-18.* is damaged/,
      ),
    ]);
    // What is not archived needs no file: it is proven, and the log goes on.
    const [later] = await writeRecords(again, site, 1);
    expect(await proves(again, site, later as string)).toBe(true);
    expect(await proves(again, site, days[2]?.[1] as string)).toBe(true);
    const [today] = await exportDay(again, site, { day: DAY_3 });
    expect(JSON.parse(today?.text ?? "").bundle.count).toBeGreaterThan(2);
  });
});

describe.each(TIER_DATABASES)("the archive on %s", (dialect) => {
  test("takes closed days only, never today or yesterday", async () => {
    const { server, site } = await startShop(dialect, [5, 3, 2]);
    for (const before of [DAY_4, "2030-05-21", "2031-01-01", "2030-02-31"]) {
      const { status, body } = await server.admin("POST", archivePath(site), { before });
      expect([status, body.error]).toEqual([400, "invalid_request"]);
    }
    expect(await archiveAll(server, site, DAY_3)).toEqual([DAY_1, DAY_2]);
    expect(await archiveAll(server, site, DAY_3)).toEqual([]);
  });

  test("is only listed by a dry run, and nothing is written", async () => {
    const { server, site } = await startShop(dialect, [5, 3, 2]);
    const body = { before: DAY_3, dry_run: true };
    const answer = await server.admin("POST", archivePath(site), body);
    expect(answer.body).toMatchObject({
      due: [{ day: DAY_1, first_seq: 0 }, { day: DAY_2 }],
      archived: null,
      running: null,
    });
    expect((await server.admin("GET", archivePath(site))).body.items).toEqual([]);
    expect(await rowsBefore(server, 5)).toBe(5);
  });

  test("takes only the rows of a day, and the database refuses to delete a record that is not archived", async () => {
    const { server, site } = await startShop(dialect, [5, 3, 2]);
    const { db } = server.context;
    await expect(db.run("DELETE FROM audit_records WHERE seq = 1")).rejects.toThrow("append-only");
    await archiveAll(server, site, DAY_2);
    const first = await db.get<{ seq: number }>("SELECT MIN(seq) AS seq FROM audit_records");
    const seq = first?.seq as number;
    await expect(db.run(`DELETE FROM audit_records WHERE seq = ${seq}`)).rejects.toThrow(
      "append-only",
    );
    await expect(db.run("UPDATE audit_records SET type = 'x'")).rejects.toThrow("append-only");
    for (const table of ["audit_archives", "audit_archive_nodes"]) {
      await db.run(
        "INSERT INTO audit_archive_nodes (chain, level, place, hash) VALUES ('x', 8, 0, '')" +
          " ON CONFLICT DO NOTHING",
      );
      await expect(db.run(`DELETE FROM ${table}`)).rejects.toThrow("append-only");
      await expect(db.run(`UPDATE ${table} SET chain = 'y'`)).rejects.toThrow("append-only");
    }
  });

  test("takes every day that is due by the setting, in every log that is not frozen", async () => {
    const settings = { GATEHOUSE_AUDIT_KEEP_DAYS: "2" };
    const { server, site, days } = await startShop(dialect, [5, 3, 2], settings);
    await runArchiveJob(server);
    const { body } = await server.admin("GET", archivePath(site));
    expect(body.items.map(({ day }: { day: string }) => day)).toEqual([DAY_1]);
    expect(await rowsBefore(server, 5)).toBe(0);
    expect(await proves(server, site, days[0]?.[3] as string)).toBe(true);
    expect(await findingsOfSite(server, site)).toEqual([]);
  });

  test("leaves only a few bytes of each record in the database", async () => {
    const { server, site } = await startShop(dialect, [1000, 3]);
    await archiveAll(server, site, DAY_2);
    const { db } = server.context;
    const kept = await db.get<{ chars: number }>(
      `SELECT SUM(LENGTH(id_ends) + LENGTH(frontier) + LENGTH(types) + LENGTH(file) + 300) +
         (SELECT COUNT(*) * 150 FROM audit_archive_nodes) AS chars FROM audit_archives`,
    );
    expect(Number(kept?.chars) / 1000).toBeLessThan(16);
  });

  test("stays when its site is deleted, and takes the rest of that log too", async () => {
    const settings = { GATEHOUSE_AUDIT_KEEP_DAYS: "1" };
    const { clock, server, site, days } = await startShop(dialect, [5, 3, 2], settings);
    await archiveAll(server, site, DAY_2);
    expect((await server.admin("DELETE", `/v1/admin/sites/${site}`)).status).toBe(204);
    clock.advance(2 * DAY_MS);
    await runArchiveJob(server);
    const { body } = await server.admin("GET", archivePath(site));
    expect(body.items.map(({ day }: { day: string }) => day)).toEqual([DAY_4, DAY_3, DAY_2, DAY_1]);
    expect(await proves(server, site, days[0]?.[1] as string)).toBe(true);
    expect(await proves(server, site, days[2]?.[1] as string)).toBe(true);
  });
});

describe.each(TIER_DATABASES)("a day on %s", (dialect) => {
  test("whose rows were changed does not verify, and stays where it is", async () => {
    const { server, site } = await startShop(dialect, [5, 3, 2]);
    const { db } = server.context;
    const table = dialect === "postgres" ? " ON audit_records" : "";
    const trigger = dialect === "postgres" ? "no_change" : "no_update";
    await db.run(`DROP TRIGGER audit_records_${trigger}${table}`);
    await db.run(`UPDATE audit_records SET text = REPLACE(text, '"n1"', '"n7"') WHERE seq < 9`);
    const { status, body } = await server.admin("POST", archivePath(site), { before: DAY_2 });
    expect([status, body.message]).toEqual([
      409,
      "The day was not archived: the records of shop.example.com/audit/1 on 2030-05-17 differ from those that were written.",
    ]);
    expect((await server.admin("GET", archivePath(site))).body.items).toEqual([]);
    expect(await rowsBefore(server, 5)).toBe(5);
  });

  test("keeps its rows while its file is damaged, and loses them when the file is restored", async () => {
    let dying = true;
    const crashPoint = (point: string) => {
      if (dying && point === "archive.committed") throw new Error("died here");
    };
    const { server, site } = await startShop(dialect, [5, 3, 2], {}, { crashPoint });
    expect((await server.admin("POST", archivePath(site), { before: DAY_2 })).status).toBe(500);
    dying = false;
    const [file] = archiveFiles(server) as [string];
    const text = readFileSync(file, "utf8");
    writeFileSync(file, `${text} `);
    const again = await server.admin("POST", archivePath(site), { before: DAY_2 });
    expect([again.status, again.body.message]).toEqual([
      503,
      expect.stringContaining("is damaged"),
    ]);
    expect(await rowsBefore(server, 5)).toBe(5);
    writeFileSync(file, text);
    await runArchiveJob(server);
    expect(await rowsBefore(server, 5)).toBe(0);
    expect(await findingsOfSite(server, site)).toEqual([]);
  });

  test("of a frozen log is not archived, because it is evidence", async () => {
    const settings = { GATEHOUSE_AUDIT_KEEP_DAYS: "30" };
    const { clock, env, server, site } = await startShop(dialect, [5, 3, 2], settings);
    await server.stop();
    const kept = join(env.GATEHOUSE_DATA_DIR as string, "checkpoints/shop.example.com_audit_1.txt");
    const lines = readFileSync(kept, "utf8").split("\n");
    // What was published once has more records than this database: it was put back, say.
    lines[1] = String(Number(lines[1]) + 1);
    writeFileSync(kept, lines.join("\n"));
    const again = await startServer(env, { clock });
    const asked = await again.admin("POST", archivePath(site), { before: DAY_2 });
    expect([asked.status, asked.body.message]).toEqual([409, expect.stringContaining("frozen")]);
    clock.advance(40 * DAY_MS);
    await archiveDueDays(again.context, clock.now(), () => false);
    expect((await again.admin("GET", archivePath(site))).body.items).toEqual([]);
  });
});

describe.each(TIER_DATABASES)("a feature that needs old records, on %s,", (dialect) => {
  test("finds them in the archive: explaining a decision, testing a draft, and repeating an answer", async () => {
    const clock = new ManualClock(NOON);
    const server = await startServer(await freshEnvironment(dialect), { clock });
    const at = submitting(server);
    const shop = await at.shop();
    const buyer = await at.buyer(shop);
    const mandate = await signMandate(at.mandate(shop, buyer), buyer.key.signer);
    const told = await at.send(shop, mandate);
    const read = async () => {
      const [listed] = (await shop.admin("GET", "/decisions")).body.items;
      const explained = await shop.admin("GET", `/decisions/${listed.decision_id}`);
      const draft = { policy: { ...POLICY, default: "escalate" } };
      const tried = await shop.admin("POST", "/policy/test", draft);
      expect([explained.status, tried.status]).toEqual([200, 200]);
      return [explained.body, tried.body];
    };
    const before = await read();
    clock.advance(3 * DAY_MS);
    await archiveAll(server, shop.site_key_hash, DAY_3);
    expect(await rowsBefore(server, 3)).toBe(0);
    expect(await read()).toEqual(before);
    const again = await at.send(shop, mandate);
    expect([again.status, again.body]).toEqual([told.status, told.body]);
  });

  test("has them after a restore with the folder, and reports the folder as missing without it", async () => {
    const { env, server, site, days } = await startShop(dialect, [5, 3, 2]);
    await archiveAll(server, site, DAY_3);
    const out = join(temporaryFolder(), "backup.ndjson.gz");
    const { archiveFiles: files } = await backup(env, { out });
    await server.stop();
    const to = await freshEnvironment(dialect);
    const report = await restore(to, out, { secretsKeyFile: secretsKeyFile(env) });
    expect([files, report.archiveFiles]).toEqual([2, 2]);
    const archiveOf = async () => (await doctor(to)).find(({ part }) => part === "audit archive");
    expect(await archiveOf()).toMatchObject({
      verdict: "failure",
      message: expect.stringMatching(/does not exist here.*records are archived in 2 files/),
    });
    cpSync(
      server.context.config.archiveDir,
      join(to.GATEHOUSE_DATA_DIR as string, "audit-archive"),
      {
        recursive: true,
      },
    );
    expect(await archiveOf()).toMatchObject({ verdict: "good" });
    const clock = new ManualClock(NOON + 4 * DAY_MS);
    const restored = await startServer(to, { clock });
    for (const ids of days) {
      expect(await proves(restored, site, ids.at(-1) as string)).toBe(true);
    }
    const chain = "shop.example.com/audit/1";
    const old = await exportDay(restored, site, { day: DAY_1, chain });
    const report2 = await verdictOf(
      old.map(({ text }) => text),
      { keys: await auditKeys(restored) },
    );
    expect(report2.findings).toEqual([]);
  });
});
