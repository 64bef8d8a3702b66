import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ManualClock } from "../../src/platform/clock.ts";
import { copySqlite } from "../../src/platform/db/sqlite.ts";
import { doctor } from "../../src/upkeep/doctor.ts";
import { createSite, freshEnvironment, startServer, temporaryFolder } from "../harness.ts";
import { auditKeys, exportDays, verdictOf } from "./exporting.ts";

/**
 * An installation that published checkpoints, moved to another folder with the database it has, with
 * an older copy of it, or with none.
 */
async function movedWith(database: "current" | "older" | "none") {
  const env = await freshEnvironment("sqlite");
  const dataDir = env.GATEHOUSE_DATA_DIR as string;
  const first = await startServer(env);
  const { site_key_hash: site } = await createSite(first, "shop.example.com");
  const copy = join(temporaryFolder(), "copy.db");
  copySqlite(join(dataDir, "gatehouse.db"), copy);
  for (const name of ["One", "Two"])
    await first.admin("PATCH", `/v1/admin/sites/${site}`, { name });
  const published = await (await fetch(`${first.url}/v1/audit/${site}/checkpoint`)).text();
  await first.stop();
  const moved = temporaryFolder();
  const bring = (name: string) =>
    cpSync(join(dataDir, name), join(moved, name), { recursive: true });
  bring("checkpoints");
  if (database !== "none") bring("secrets.key");
  if (database === "current") bring("gatehouse.db");
  if (database === "older") cpSync(copy, join(moved, "gatehouse.db"));
  return { env: { ...env, GATEHOUSE_DATA_DIR: moved }, site, published, dataDir: moved };
}

describe("a database that is behind what was published of it", () => {
  test("is not written to, says so, and goes on in a new epoch once told to", async () => {
    const { env, site } = await movedWith("older");
    const clock = new ManualClock(Date.now());
    const server = await startServer(env, { clock });
    const path = `/v1/admin/sites/${site}`;
    const refused = await server.admin("PATCH", path, { name: "Fork" });
    expect([refused.status, refused.body.error]).toEqual([503, "unavailable"]);
    // Documents are still served; nothing that must be recorded happens.
    expect((await fetch(`${server.url}/v1/agent/${site}`)).status).toBe(200);
    expect((await server.admin("GET", path)).body.name).toBe("shop.example.com");
    const ready = await fetch(`${server.url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([
      503,
      expect.objectContaining({ failing: ["audit"] }),
    ]);
    const logs = (await server.admin("GET", `${path}/audit/logs`)).body.items;
    expect(logs[0].held).toBe("it has 3 records, and a checkpoint of 5 was published");
    // Another site of the same installation is not concerned.
    expect((await createSite(server, "other.example.com")).status).toBe("verified");

    const renewed = await server.admin("POST", `${path}/audit/epochs`, {
      reason: "restored a copy",
    });
    expect([renewed.status, renewed.body.chain]).toEqual([201, "shop.example.com/audit/2"]);
    expect((await server.admin("PATCH", path, { name: "Goes on" })).status).toBe(200);
    clock.advance(1000);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    const parts = (await exportDays(server, site)).map(({ text }) => text);
    const report = await verdictOf(parts, { keys: await auditKeys(server) });
    expect(report.findings).toEqual([]);
    const [{ record }] = JSON.parse(parts[0] as string).bundle.records;
    expect([record.previous.size, record.reason]).toEqual([3, "restored a copy"]);
  });

  test("is named by doctor before the service starts", async () => {
    const { env } = await movedWith("older");
    const finding = (await doctor(env)).find(({ part }) => part === "audit log");
    expect([finding?.verdict, finding?.says]).toEqual([
      "failure",
      expect.stringContaining("shop.example.com/audit/1: it has 3 records"),
    ]);
  });

  test("of another history is held too", async () => {
    const { env, site, dataDir } = await movedWith("current");
    const folder = join(dataDir, "checkpoints");
    const [file] = readdirSync(folder) as [string];
    const lines = readFileSync(join(folder, file), "utf8").split("\n");
    lines[2] = Buffer.alloc(32).toString("base64");
    writeFileSync(join(folder, file), lines.join("\n"));
    const server = await startServer(env);
    const refused = await server.admin("PATCH", `/v1/admin/sites/${site}`, { name: "Fork" });
    expect(refused.status).toBe(503);
  });

  test("without the log at all does not start, and neither does one with a spoilt checkpoint", async () => {
    const { env, dataDir } = await movedWith("none");
    await expect(startServer(env)).rejects.toThrow("this database has no such log");
    const [file] = readdirSync(join(dataDir, "checkpoints")) as [string];
    writeFileSync(join(dataDir, "checkpoints", file), "nonsense");
    await expect(startServer(env)).rejects.toThrow("cannot be read");
  });

  test("that is only ahead goes on as before", async () => {
    const { env, site, published } = await movedWith("current");
    const server = await startServer(env);
    const changed = await server.admin("PATCH", `/v1/admin/sites/${site}`, { name: "Three" });
    expect(changed.status).toBe(200);
    expect(published.split("\n")[1]).toBe("5");
  });
});
