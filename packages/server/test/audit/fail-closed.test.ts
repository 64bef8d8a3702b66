import { createServer, connect as dial, type Socket } from "node:net";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { createSite, freshEnvironment, freshPostgres, startServer } from "../harness.ts";
import { auditKeys, exportDays, verdictOf } from "./exporting.ts";

/** A clock the test moves: readiness is asked once a second. It agrees with the database's own. */
const standing = () => ({ clock: new ManualClock(Date.now()) });

type Server = Awaited<ReturnType<typeof startServer>>;

async function checkLog(server: Server, site: string): Promise<string[]> {
  const parts = (await exportDays(server, site)).map(({ text }) => text);
  const report = await verdictOf(parts, { keys: await auditKeys(server) });
  expect(report.findings).toEqual([]);
  const records = parts.flatMap((text) => JSON.parse(text).bundle.records);
  return records.flatMap(({ record }) => record.change?.kind ?? []);
}

async function expectClosedThenOpen(
  server: Server,
  site: string,
  shut: () => unknown,
  open: () => unknown,
) {
  const path = `/v1/admin/sites/${site}`;
  const clock = server.context.clock as ManualClock;
  await shut();
  const refused = await server.admin("PATCH", path, { name: "Refused" });
  expect([refused.status, refused.body.error]).toEqual([503, "unavailable"]);
  expect(refused.headers.get("retry-after")).toBe("5");
  const ready = await fetch(`${server.url}/readyz`);
  expect([ready.status, (await ready.json()).failing]).toEqual([503, ["database"]]);
  await open();
  // Ready again before anything else is written: nobody may be sent here to write it otherwise.
  clock.advance(1000);
  const again = await fetch(`${server.url}/readyz`);
  expect([again.status, await again.json()]).toEqual([200, expect.anything()]);
  expect((await server.admin("GET", path)).body.name).toBe("shop.example.com");
  expect((await server.admin("PATCH", path, { name: "Accepted" })).status).toBe(200);
  expect(await checkLog(server, site)).toEqual(["created", "verified", "changed"]);
}

describe("nothing happens while nothing can be recorded", () => {
  test("on SQLite that became read-only, until it can be written again", async () => {
    const server = await startServer(await freshEnvironment("sqlite"), standing());
    const { site_key_hash: site } = await createSite(server, "shop.example.com");
    const { raw } = (
      server.context.db as unknown as { writer: { raw: { exec(sql: string): void } } }
    ).writer;
    await expectClosedThenOpen(
      ...([server, site] as const),
      () => raw.exec("PRAGMA query_only = ON"),
      () => raw.exec("PRAGMA query_only = OFF"),
    );
  });

  test("on PostgreSQL that became read-only, until it can be written again", async () => {
    const env = await freshEnvironment("postgres");
    const server = await startServer(env, standing());
    const { site_key_hash: site } = await createSite(server, "shop.example.com");
    const url = env.GATEHOUSE_DATABASE_URL as string;
    const name = new URL(url).pathname.slice(1);
    const admin = new pg.Client({ connectionString: url });
    await admin.connect();
    onTestFinished(() => admin.end());
    // New connections take the setting; the old ones are cut.
    const set = async (value: string) => {
      await admin.query("SET default_transaction_read_only = off");
      await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${value}`);
      await admin.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()",
        [name],
      );
    };
    const settled = async () => {
      // The pool notices its cut connections one by one; each notice is an answer of its own.
      for (let tries = 0; tries < 20; tries++) {
        const answer = await server.admin("GET", `/v1/admin/sites/${site}`);
        if (answer.status === 200) return;
      }
    };
    await expectClosedThenOpen(
      ...([server, site] as const),
      () => set("on").then(settled),
      () => set("off").then(settled),
    );
  });
});

/** A PostgreSQL behind a wire that can be cut at the moment a commit passes. */
async function wireTo(url: string) {
  const { hostname, port } = new URL(url);
  let cut: "never" | "before" | "after" = "never";
  const sockets = new Set<Socket>();
  const wire = createServer((client) => {
    const server = dial(Number(port), hostname);
    sockets.add(client).add(server);
    client.on("error", () => server.destroy()).on("close", () => server.destroy());
    server.on("error", () => client.destroy()).on("close", () => client.destroy());
    client.on("data", (chunk) => {
      if (cut === "never" || !chunk.includes("COMMIT")) return server.write(chunk);
      const kind = cut;
      cut = "never";
      if (kind === "before") return client.destroy();
      // Delivered, and done by the server; its answer never comes back.
      server.removeAllListeners("data");
      server.once("data", () => client.destroy());
      server.write(chunk);
    });
    server.on("data", (chunk) => client.write(chunk));
  });
  await new Promise<void>((resolve) => wire.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    wire.close();
  });
  const through = new URL(url);
  through.port = String((wire.address() as { port: number }).port);
  return {
    url: through.href,
    cutNextCommit: (kind: "before" | "after") => {
      cut = kind;
    },
  };
}

describe("a connection that breaks during a commit", () => {
  async function startBehindWire() {
    const wire = await wireTo(await freshPostgres());
    const env = { ...(await freshEnvironment("sqlite")), GATEHOUSE_DATABASE_URL: wire.url };
    const server = await startServer(env);
    const { site_key_hash: site } = await createSite(server, "shop.example.com");
    return { wire, server, site };
  }

  test("before the commit arrives leads to a 503 and no change, and the next commit works", async () => {
    const { wire, server, site } = await startBehindWire();
    const path = `/v1/admin/sites/${site}`;
    wire.cutNextCommit("before");
    const refused = await server.admin("PATCH", path, { name: "Lost" });
    expect(refused.status).toBe(503);
    expect((await server.admin("GET", path)).body.name).toBe("shop.example.com");
    expect((await server.admin("PATCH", path, { name: "Kept" })).status).toBe(200);
    expect(await checkLog(server, site)).toEqual(["created", "verified", "changed"]);
  });

  test("after the commit is done leads to a look at the log and the true answer", async () => {
    const { wire, server, site } = await startBehindWire();
    const path = `/v1/admin/sites/${site}`;
    wire.cutNextCommit("after");
    const answered = await server.admin("PATCH", path, { name: "Kept" });
    expect([answered.status, answered.body.name]).toEqual([200, "Kept"]);
    expect((await server.admin("GET", path)).body.name).toBe("Kept");
    expect(await checkLog(server, site)).toEqual(["created", "verified", "changed"]);
  });
});
