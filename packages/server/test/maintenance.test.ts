import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Dialect } from "../src/infra/db/database.ts";
import { backup } from "../src/maintenance/backup.ts";
import { doctor } from "../src/maintenance/doctor.ts";
import { restore } from "../src/maintenance/restore.ts";
import {
  createSite,
  DATABASES,
  freshEnvironment,
  freshPostgres,
  startServer,
  type TestServer,
  temporaryFolder,
} from "./harness.ts";
import { byDigest, forge, linesIn, newSeal, secretsKeyFile } from "./restoring.ts";

const failuresOf = async (env: Record<string, string>) =>
  (await doctor(env)).filter(({ verdict }) => verdict === "failure");

/** Writes sites until told to stop; returns how many were answered. */
function keepWriting(server: TestServer) {
  let stop = false;
  const written: string[] = [];
  const done = (async () => {
    for (let i = 0; !stop; i++) {
      const site = await createSite(server, `s${i}.example.com`);
      written.push(site.site_key_hash);
    }
  })();
  return {
    written,
    stop: () => {
      stop = true;
      return done;
    },
  };
}

const PAIRS = DATABASES.flatMap((from) => DATABASES.map((to): [Dialect, Dialect] => [from, to]));

describe.each(PAIRS)("a backup of %s restored into %s", (from, to) => {
  test("during writes passes doctor, with the same keys and sites", async () => {
    const env = await freshEnvironment(from);
    const server = await startServer(env);
    const before = await createSite(server, "first.example.com");
    const writing = keepWriting(server);
    while (writing.written.length < 5) await new Promise((resolve) => setImmediate(resolve));
    const out = join(temporaryFolder(), "backup.ndjson.gz");
    const answeredBefore = [...writing.written];
    const report = await backup(env, { out });
    await writing.stop();
    expect(report.secretsKey).toBe(true);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const keys = (await server.admin("GET", "/v1/admin/keys")).body;
    await server.stop();

    const elsewhere = await freshEnvironment(to);
    const restored = await restore(elsewhere, out, { secretsKeyFile: secretsKeyFile(env) });
    expect(restored).toMatchObject({ rows: report.rows, secretsKey: "restored", verified: true });
    expect(await failuresOf(elsewhere)).toEqual([]);

    const again = await startServer(elsewhere);
    expect((await again.admin("GET", "/v1/admin/keys")).body).toEqual(keys);
    const { items } = (await again.admin("GET", "/v1/admin/sites?limit=200")).body;
    const hashes = items.map((site: { site_key_hash: string }) => site.site_key_hash);
    expect(hashes).toContain(before.site_key_hash);
    // Everything answered before the backup began is in it.
    for (const hash of answeredBefore.slice(0, 190)) expect(hashes).toContain(hash);
  });
});

async function smallBackup(options: { withoutSecretsKey?: boolean } = {}) {
  const env = await freshEnvironment("sqlite");
  const server = await startServer(env);
  await createSite(server, "shop.example.com");
  await server.stop();
  const out = join(temporaryFolder(), "backup.ndjson.gz");
  await backup(env, { out, ...options });
  return { env, out, key: secretsKeyFile(env) };
}

describe("a backup", () => {
  test("contains neither the operator token nor any private key in clear text", async () => {
    const { env, out } = await smallBackup();
    const text = gunzipSync(readFileSync(out)).toString();
    expect(text).not.toContain(env.GATEHOUSE_ADMIN_TOKEN as string);
    expect(text).not.toContain('\\"d\\":');
  });

  test("without the secrets key can be restored, but the service starts only with the key", async () => {
    const { env, out } = await smallBackup({ withoutSecretsKey: true });
    const elsewhere = await freshEnvironment("sqlite");
    expect((await restore(elsewhere, out, byDigest(out))).secretsKey).toBe("missing");
    await expect(startServer(elsewhere)).rejects.toThrow(/secrets key of this database is missing/);
    const secrets = readFileSync(
      join(env.GATEHOUSE_DATA_DIR as string, "secrets.key"),
      "utf8",
    ).trim();
    const server = await startServer({ ...elsewhere, GATEHOUSE_SECRETS_KEY: secrets });
    expect((await server.admin("GET", "/v1/admin/sites")).body.items.length).toBe(1);
  });

  test("of an empty installation is refused", async () => {
    const env = await freshEnvironment("sqlite");
    await expect(backup(env, {})).rejects.toThrow(/There is no installation in/);
  });

  test("is private, even if somebody left an open file in its place", async () => {
    const { env } = await smallBackup();
    const out = join(temporaryFolder(), "b.gz");
    writeFileSync(`${out}.partial`, "", { mode: 0o666 });
    chmodSync(`${out}.partial`, 0o666);
    await backup(env, { out });
    expect(statSync(out).mode & 0o777).toBe(0o600);
  });

  test("that cannot be written leaves nothing behind", async () => {
    const { env } = await smallBackup();
    const out = join(temporaryFolder(), "no-such-folder", "b.gz");
    await expect(backup(env, { out })).rejects.toThrow(/could not be written/);
  });
});

describe("a restore", () => {
  const damages: [string, (lines: string[]) => string | Buffer, RegExp][] = [
    ["cut short", (lines) => lines.slice(0, -2).join("\n"), /is incomplete/],
    [
      "with a row removed",
      (lines) => [...lines.slice(0, 1), ...lines.slice(2)].join("\n"),
      /changed or damaged/,
    ],
    [
      "with a value changed",
      (lines) => lines.join("\n").replace("shop.example", "evil.example"),
      /changed or damaged/,
    ],
    [
      "with rows after its end",
      (lines) => [...lines, lines[1]].join("\n"),
      /continues after its end/,
    ],
    ["of another format", () => '{"header":{"format":"other/1"}}\n', /not a Gatehouse backup/],
    ["that is not JSON", () => "hello\n", /not a Gatehouse backup/],
  ];

  test.each(damages)(
    "of a file %s is refused before anything is written",
    async (_name, damage, message) => {
      const { out, key } = await smallBackup();
      const zipped = gzipSync(damage(linesIn(out)));
      writeFileSync(out, Buffer.concat([zipped, newSeal(zipped, key)]));
      const env = await freshEnvironment("sqlite");
      await expect(restore(env, out, { secretsKeyFile: key })).rejects.toThrow(message);
      expect(readdirSync(env.GATEHOUSE_DATA_DIR as string)).toEqual([]);
    },
  );

  test("of a file with one bit flipped is refused as changed, wherever the bit is", async () => {
    const { out, key } = await smallBackup();
    const env = await freshEnvironment("sqlite");
    const bytes = readFileSync(out);
    for (const at of [Math.floor(bytes.length / 2), bytes.length - 200]) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      writeFileSync(out, flipped);
      await expect(restore(env, out, { secretsKeyFile: key })).rejects.toThrow(
        /has been changed or damaged/,
      );
    }
    expect(readdirSync(env.GATEHOUSE_DATA_DIR as string)).toEqual([]);
  });

  test("of a truncated, plain or missing file is refused", async () => {
    const { out } = await smallBackup();
    const env = await freshEnvironment("sqlite");
    const bytes = readFileSync(out);
    writeFileSync(out, bytes.subarray(0, bytes.length - 100));
    await expect(restore(env, out)).rejects.toThrow(/is incomplete/);
    writeFileSync(out, "plain text");
    await expect(restore(env, out)).rejects.toThrow(/not a Gatehouse backup/);
    await expect(restore(env, `${out}.missing`)).rejects.toThrow(/does not exist/);
  });

  test("of a backup by a newer build is refused", async () => {
    const { out, key } = await smallBackup();
    forge(out, (text) => text.replace(/"schema_version":\d+/, '"schema_version":99'), { key });
    await expect(restore(await freshEnvironment("sqlite"), out)).rejects.toThrow(/newer Gatehouse/);
  });

  const SITE_ROW = /\{"table":"sites","row":\{.*\}\}/;
  const forgeries: [string, (text: string) => string, RegExp][] = [
    ["a line that is null", (text) => `${text}\nnull`, /changed or damaged/],
    [
      "a row that is null",
      (text) => text.replace(SITE_ROW, '{"table":"sites","row":null}'),
      /changed or damaged/,
    ],
    [
      "a value that is true",
      (text) => text.replace('"failed_days":0', '"failed_days":true'),
      /changed or damaged/,
    ],
    [
      "a value that is an object",
      (text) => text.replace('"failed_days":0', '"failed_days":{}'),
      /changed or damaged/,
    ],
    [
      "schema version 0",
      (text) => text.replace(/"schema_version":\d+/, '"schema_version":0'),
      /not a Gatehouse backup/,
    ],
    [
      "a secrets key of another",
      (text) => text.replace(/"secrets_key":"[^"]*"/, `"secrets_key":"${"A".repeat(43)}"`),
      /secrets key in the backup does not belong to it/,
    ],
  ];

  test.each(forgeries)(
    "of a forged backup with %s is refused, and leaves nothing behind",
    async (_name, change, message) => {
      const { out, key } = await smallBackup();
      forge(out, change, { key });
      const env = await freshEnvironment("sqlite");
      await expect(restore(env, out, byDigest(out))).rejects.toThrow(message);
      expect(readdirSync(env.GATEHOUSE_DATA_DIR as string)).toEqual([]);
    },
  );

  test("of a duplicate row is refused, and leaves nothing behind", async () => {
    const { out } = await smallBackup();
    const site = linesIn(out).find((line) => SITE_ROW.test(line)) as string;
    forge(out, (text) => `${text}\n${site}`, { counts: { sites: 2 } });
    const env = await freshEnvironment("sqlite");
    await expect(restore(env, out, byDigest(out))).rejects.toThrow(/has the same row twice/);
    expect(readdirSync(env.GATEHOUSE_DATA_DIR as string)).toEqual([]);
  });

  test("into PostgreSQL that failed because of its secrets key can be tried again", async () => {
    const { out } = await smallBackup();
    const env = await freshEnvironment("postgres");
    const wrong = { ...env, GATEHOUSE_SECRETS_KEY: "A".repeat(43) };
    await expect(restore(wrong, out)).rejects.toThrow(/does not belong to this backup/);
    expect((await restore(env, out, byDigest(out))).secretsKey).toBe("restored");
    expect(await failuresOf(env)).toEqual([]);
  });

  test("during another one, or after one that was cut off, names the file that says so", async () => {
    const { out } = await smallBackup();
    const env = await freshEnvironment("sqlite");
    writeFileSync(join(env.GATEHOUSE_DATA_DIR as string, "restore.lock"), "");
    await expect(restore(env, out, byDigest(out))).rejects.toThrow(
      /Another restore is running .*restore\.lock/,
    );
    expect(readdirSync(env.GATEHOUSE_DATA_DIR as string)).toEqual(["restore.lock"]);
  });

  test("by two processes into one folder is done by one, and the other says so and changes nothing", async () => {
    const { out } = await smallBackup();
    const env = await freshEnvironment("sqlite");
    const results = await Promise.allSettled([
      restore(env, out, byDigest(out)),
      restore(env, out, byDigest(out)),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect(await failuresOf(env)).toEqual([]);
    const files = readdirSync(env.GATEHOUSE_DATA_DIR as string).filter(
      (name) => !/-(wal|shm)$/.test(name),
    );
    expect(files.sort()).toEqual(["gatehouse.db", "secrets.key"]);
  });

  test("does not touch tables of others in the same database", async () => {
    const env = await freshEnvironment("postgres");
    const server = await startServer(env);
    await server.context.db.transaction((tx) =>
      server.context.db.script(tx, 'CREATE TABLE "Other App" (n INT);'),
    );
    const out = join(temporaryFolder(), "b.gz");
    await backup(env, { out });
    expect(gunzipSync(readFileSync(out)).toString()).not.toContain("Other App");
  });

  test.each(DATABASES)(
    "of a forged column name on %s is refused, and not run as SQL",
    async (dialect) => {
      const { out } = await smallBackup();
      const column = "name) VALUES ('x'); DROP TABLE sites; --";
      forge(out, (text) =>
        text.replace('"table":"sites","row":{', `"table":"sites","row":{"${column}":1,`),
      );
      const env = await freshEnvironment(dialect);
      await expect(restore(env, out, byDigest(out))).rejects.toThrow(
        /a table or column that its schema does not have/,
      );
      expect(existsSync(join(env.GATEHOUSE_DATA_DIR as string, "gatehouse.db"))).toBe(false);
    },
  );

  test.each(DATABASES)(
    "into an installation on %s is refused, and changes nothing",
    async (dialect) => {
      const { out } = await smallBackup();
      const env = await freshEnvironment(dialect);
      const server = await startServer(env);
      const kept = await createSite(server, "kept.example.com");
      await expect(restore(env, out, byDigest(out))).rejects.toThrow(/already an installation/);
      const { items } = (await server.admin("GET", "/v1/admin/sites")).body;
      expect(items.map((site: { domain: string }) => site.domain)).toEqual([kept.domain]);
    },
  );

  test("over another secrets key is refused, and removes what it created", async () => {
    const { out } = await smallBackup();
    const env: Record<string, string> = {
      ...(await freshEnvironment("sqlite")),
      GATEHOUSE_SECRETS_KEY: "A".repeat(43),
    };
    await expect(restore(env, out)).rejects.toThrow(/does not belong to this backup/);
    expect(existsSync(join(env.GATEHOUSE_DATA_DIR as string, "gatehouse.db"))).toBe(false);
  });
});

describe("doctor", () => {
  test.each(DATABASES)("finds nothing wrong with a healthy installation on %s", async (dialect) => {
    const env = await freshEnvironment(dialect);
    const server = await startServer(env);
    await createSite(server, "shop.example.com");
    const findings = await doctor(env);
    expect(findings.filter(({ verdict }) => verdict !== "good")).toEqual([]);
    expect(findings.map(({ part }) => part)).toEqual([
      "Node.js",
      "configuration",
      "transport",
      "data folder",
      "operator token",
      "database",
      "secrets key",
      "signing keys",
      "clock",
      "jobs",
      "sites",
      "audit log",
      "audit archive",
      "platforms",
    ]);
  });

  test("names a missing installation, and creates none", async () => {
    const env = await freshEnvironment("sqlite");
    expect(await failuresOf(env)).toMatchObject([
      { part: "database", message: expect.stringMatching(/run `gatehouse serve`/) },
    ]);
    expect(readdirSync(env.GATEHOUSE_DATA_DIR as string)).toEqual([]);
  });

  test("reads a small SQLite file for damage, and a large one if asked to", async () => {
    const env = await freshEnvironment("sqlite");
    const { stop, context } = await startServer(env);
    await context.db.run("CREATE TABLE filler (bytes BLOB)");
    await context.db.run("INSERT INTO filler (bytes) VALUES (zeroblob(70000000))");
    await stop();
    const message = async (options = {}) =>
      (await doctor(env, options)).find(({ part }) => part === "database")?.message;
    expect(await message()).toMatch(
      /MB were not checked for damage: run `gatehouse doctor --full`$/,
    );
    expect(await message({ full: true })).toMatch(/^sqlite, schema \d+$/);
  });

  test("says what an empty database, a missing key and an unused key alias need", async () => {
    const empty = {
      ...(await freshEnvironment("postgres")),
      GATEHOUSE_DATABASE_URL: await freshPostgres(),
    };
    expect(await failuresOf(empty)).toMatchObject([
      { part: "database", message: expect.stringMatching(/it is empty: run/) },
    ]);
    const { out } = await smallBackup({ withoutSecretsKey: true });
    const keyless = await freshEnvironment("sqlite");
    await restore(keyless, out, byDigest(out));
    const [missing] = await failuresOf(keyless);
    expect(missing).toMatchObject({
      part: "secrets key",
      message: expect.stringMatching(/set GATEHOUSE_SECRETS_KEY/),
    });
    const { env } = await smallBackup();
    const stray = await doctor({ ...env, GATEHOUSE_KEY_ALIASES: "old=unknown@2099-01-01" });
    expect(stray).toContainEqual(
      expect.objectContaining({ part: "key aliases", verdict: "failure" }),
    );
  });

  test("names a damaged database, a foreign secrets key and a broken configuration", async () => {
    const { env } = await smallBackup();
    const foreign = { ...env, GATEHOUSE_SECRETS_KEY: "A".repeat(43) };
    expect(await failuresOf(foreign)).toMatchObject([{ part: "secrets key" }]);
    expect(await failuresOf({ ...env, GATEHOUSE_PORT: "x" })).toMatchObject([
      { part: "configuration" },
    ]);
    writeFileSync(join(env.GATEHOUSE_DATA_DIR as string, "gatehouse.db"), "not a database at all");
    expect(await failuresOf(env)).toMatchObject([{ part: "database" }]);
  });

  test("warns about production without HTTPS", async () => {
    const { env } = await smallBackup();
    const findings = await doctor({ ...env, GATEHOUSE_MODE: "production" });
    expect(findings).toContainEqual(
      expect.objectContaining({ part: "transport", verdict: "warning" }),
    );
  });
});
