import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { doctor } from "../../src/maintenance/doctor.ts";
import { answerOf, createSite, freshEnvironment, startServer } from "../harness.ts";
import { auditKeys, exportDays, verdictOf } from "./exporting.ts";
import { movedWith } from "./moved.ts";

/** The kept checkpoints in a folder; what was revoked lies beside them. */
const notesIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith(".txt"));

describe("a database that is behind its published checkpoint", () => {
  test("is frozen and says so, and continues in a new epoch after the operator's command", async () => {
    const { env, site } = await movedWith("older");
    const clock = new ManualClock(Date.now());
    const server = await startServer(env, { clock });
    const path = `/v1/admin/sites/${site}`;
    const refused = await server.admin("PATCH", path, { name: "Fork" });
    expect([refused.status, refused.body.error]).toEqual([503, "unavailable"]);
    // Trying again does not help, so nobody is told to. An operator is told what does.
    expect(refused.headers.get("retry-after")).toBeNull();
    expect(refused.body.message).toContain('gatehouse audit renew shop.example.com --reason "…"');
    expect(refused.body.docs_url).toMatch(/\/docs\/guide\/audit\.md#epochs-and-a-frozen-log$/);
    const stranger = await answerOf(await fetch(`${server.url}/v1/audit/${site}/checkpoint`));
    expect(stranger.body.message).toBe(
      "The audit log of this site is frozen, so nothing can be decided or changed. Only the operator of this service can fix it.",
    );
    // Documents are still served; nothing that must be recorded happens.
    expect((await fetch(`${server.url}/v1/agent/${site}`)).status).toBe(200);
    expect((await server.admin("GET", path)).body.name).toBe("shop.example.com");
    // It has no other site, so this node can decide nothing.
    const ready = async () => answerOf(await fetch(`${server.url}/readyz`));
    expect(await ready()).toMatchObject({ status: 503, body: { failing: ["audit"] } });
    // Nothing is signed of it any more, so that nobody is shown a second history.
    expect((await fetch(`${server.url}/v1/audit/${site}/checkpoint`)).status).toBe(503);
    const logs = (await server.admin("GET", `${path}/audit/logs`)).body.items;
    expect(logs[0].held).toBe("it has 3 records, but a checkpoint of 5 records was published");
    // Another site of the same installation is not concerned.
    expect((await createSite(server, "other.example.com")).status).toBe("verified");
    clock.advance(1000);
    expect((await ready()).status).toBe(200);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/^gatehouse_audit_logs_frozen 1$/m);

    const renewed = await server.admin("POST", `${path}/audit/epochs`, {
      reason: "restored a copy",
    });
    expect([renewed.status, renewed.body.chain]).toEqual([201, "shop.example.com/audit/2"]);
    expect((await server.admin("PATCH", path, { name: "Goes on" })).status).toBe(200);
    clock.advance(1000);
    expect((await ready()).status).toBe(200);
    const parts = (await exportDays(server, site)).map(({ text }) => text);
    const report = await verdictOf(parts, { keys: await auditKeys(server) });
    expect(report.findings).toEqual([]);
    const [{ record }] = JSON.parse(parts[0] as string).bundle.records;
    expect([record.previous.size, record.previous.records_left, record.reason]).toEqual([
      5,
      3,
      "restored a copy",
    ]);
    expect(record.actor.id).toBe("operator");
  });

  test("can be exported after a new epoch began and its checkpoints were stored", async () => {
    const { env, site } = await movedWith("older");
    const clock = new ManualClock(Date.now());
    const server = await startServer(env, { clock });
    const path = `/v1/admin/sites/${site}/audit`;
    await server.admin("POST", `${path}/epochs`, { reason: "restored a copy" });
    const { items } = (await server.admin("GET", `${path}/logs`)).body;
    const ended = items.find(({ state }: { state: string }) => state === "closed");
    clock.advance(1000);
    await vi.waitFor(async () => {
      const kept = notesIn(join(env.GATEHOUSE_DATA_DIR as string, "checkpoints"));
      expect(kept.some((name) => name.includes("audit_2"))).toBe(true);
    });
    const query = `chain=${ended.chain}&day=${ended.first_day}&format=json`;
    const exported = await server.admin("GET", `${path}/exports?${query}`);
    expect([exported.status, exported.body.bundle?.records.length]).toEqual([200, 3]);
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/^gatehouse_audit_logs_frozen 0$/m);
  });

  test("is named by doctor before the service starts", async () => {
    const { env } = await movedWith("older");
    const finding = (await doctor(env)).find(({ part }) => part === "audit log");
    expect([finding?.verdict, finding?.message]).toEqual([
      "failure",
      expect.stringContaining("shop.example.com/audit/1: it has 3 records"),
    ]);
    expect(finding?.message).toContain("gatehouse audit renew shop.example.com --reason");
    expect(finding?.message).toMatch(
      /See http\S+\/docs\/guide\/audit\.md#epochs-and-a-frozen-log$/,
    );
  });

  test("of another history is frozen too", async () => {
    const { env, site, dataDir } = await movedWith("current");
    const folder = join(dataDir, "checkpoints");
    const [file] = notesIn(folder) as [string];
    const lines = readFileSync(join(folder, file), "utf8").split("\n");
    lines[2] = Buffer.alloc(32).toString("base64");
    writeFileSync(join(folder, file), lines.join("\n"));
    const server = await startServer(env);
    const refused = await server.admin("PATCH", `/v1/admin/sites/${site}`, { name: "Fork" });
    expect(refused.status).toBe(503);
  });

  test("without the log does not let the service start, and neither does an unreadable checkpoint", async () => {
    const { env, dataDir } = await movedWith("none");
    await expect(startServer(env)).rejects.toThrow("this database has none of these logs");
    const [file] = notesIn(join(dataDir, "checkpoints")) as [string];
    writeFileSync(join(dataDir, "checkpoints", file), "nonsense");
    await expect(startServer(env)).rejects.toThrow("cannot be read");
  });

  test("that is only ahead continues as before", async () => {
    const { env, site, published } = await movedWith("current");
    const server = await startServer(env);
    const changed = await server.admin("PATCH", `/v1/admin/sites/${site}`, { name: "Three" });
    expect(changed.status).toBe(200);
    expect(published.split("\n")[1]).toBe("5");
  });
});

describe("a database that is rolled back under a running service", () => {
  test("is detected at the next change and the next checkpoint, and nothing more is signed", async () => {
    const server = await startServer(await freshEnvironment("sqlite"));
    const { site_key_hash: site } = await createSite(server, "shop.example.com");
    const path = `/v1/admin/sites/${site}`;
    const { db } = server.context;
    const [before] = await db.all<Record<string, string>>("SELECT * FROM audit_chains");
    for (const name of ["One", "Two"]) await server.admin("PATCH", path, { name });
    expect((await fetch(`${server.url}/v1/audit/${site}/checkpoint`)).status).toBe(200);
    // As somebody would who can write to the database and has no key.
    await db.run("DROP TRIGGER audit_records_no_delete");
    await db.run("DELETE FROM audit_records WHERE seq >= 3");
    await db.run(
      "UPDATE audit_chains SET size = 3, frontier = ?, last_hash = ?",
      before?.frontier as string,
      before?.last_hash as string,
    );
    expect((await server.admin("PATCH", path, { name: "Fork" })).status).toBe(503);
    expect((await fetch(`${server.url}/v1/audit/${site}/checkpoint`)).status).toBe(503);
    const { body } = await server.admin("GET", `${path}/audit/logs`);
    expect(body.items[0].held).toContain("a checkpoint of 5 records was published");
  });

  test("is detected before a checkpoint is signed, even if it was rewritten to the same size", async () => {
    const server = await startServer(await freshEnvironment("sqlite"));
    const { site_key_hash: site } = await createSite(server, "shop.example.com");
    const path = `/v1/admin/sites/${site}`;
    const { db } = server.context;
    await server.admin("PATCH", path, { name: "One" });
    await fetch(`${server.url}/v1/audit/${site}/checkpoint`);
    await db.run("DROP TRIGGER audit_records_no_update");
    await db.run("UPDATE audit_records SET closed = ? WHERE seq = 3", "ab".repeat(64));
    await server.admin("PATCH", path, { name: "Two" });
    expect((await fetch(`${server.url}/v1/audit/${site}/checkpoint`)).status).toBe(503);
    expect((await server.admin("PATCH", path, { name: "Three" })).status).toBe(503);
  });

  test("does not lose the checkpoints of other logs because one cannot be stored", async () => {
    const clock = new ManualClock(Date.now());
    const env = await freshEnvironment("sqlite");
    const server = await startServer(env, { clock });
    const long = `${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.${"d".repeat(60)}.example`;
    const made = await server.admin("POST", "/v1/admin/sites", { domain: long, name: "Long" });
    const site = made.body.site_key_hash;
    await createSite(server, "shop.example.com");
    expect((await fetch(`${server.url}/v1/audit/${site}/checkpoint`)).status).toBe(200);
    await server.stop();
    const files = notesIn(join(env.GATEHOUSE_DATA_DIR as string, "checkpoints"));
    expect(files.length).toBe(2);
    expect(files).toContain("shop.example.com_audit_1.txt");
  });
});

test("a freeze ends with its log, whichever node starts the new epoch", async () => {
  const { env, site } = await movedWith("older");
  const [one, two] = [await startServer(env), await startServer(env)];
  const path = `/v1/admin/sites/${site}`;
  expect((await two.admin("PATCH", path, { name: "No" })).status).toBe(503);
  await one.admin("POST", `${path}/audit/epochs`, { reason: "restored a copy" });
  expect((await two.admin("PATCH", path, { name: "Yes" })).status).toBe(200);
  // A log that is not held is not ended by mistake.
  const again = await one.admin("POST", `${path}/audit/epochs`, { reason: "once more" });
  expect(again.status).toBe(409);
});
