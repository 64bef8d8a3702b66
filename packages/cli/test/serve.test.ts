import { X509Certificate } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { join } from "node:path";
import { connect as tlsConnect } from "node:tls";
import { DatabaseSync } from "@photostructure/sqlite";
import pg from "pg";
import { generate } from "selfsigned";
import { describe, expect, onTestFinished, test } from "vitest";
import { gatehouse, serve } from "../../../test/gatehouse-process.ts";
import { freshEnvironment, freshPostgres, temporaryFolder } from "../../server/test/harness.ts";
import { command } from "./command.ts";

function development(extra: Record<string, string> = {}) {
  const folder = join(temporaryFolder(), "data");
  return {
    GATEHOUSE_MODE: "development",
    GATEHOUSE_LOG: "silent",
    GATEHOUSE_DATA_DIR: folder,
    ...extra,
  };
}

describe("gatehouse serve", () => {
  test("prints where it listens, where its data is, and the operator token once", async () => {
    const env = development();
    const first = await serve(env);
    const kept = readFileSync(join(env.GATEHOUSE_DATA_DIR, "admin-token"), "utf8").trim();
    expect(first.seen.out).toContain(`data  ${env.GATEHOUSE_DATA_DIR} (SQLite)`);
    expect(first.seen.out.split(kept).length).toBe(2);
    const answer = await fetch(`${first.url}/v1/admin/sites`, {
      headers: { authorization: `Bearer ${kept}` },
    });
    expect(answer.status).toBe(200);
    expect(await first.stop()).toBe(0);
    const second = await serve(env);
    expect(second.seen.out).not.toContain(kept);
    expect(second.seen.out).toContain("operator token  stored in");
  });

  test("creates files that only its user can read", async () => {
    const env = development();
    await serve(env);
    const mode = (name: string) => statSync(join(env.GATEHOUSE_DATA_DIR, name)).mode & 0o777;
    expect(mode(".")).toBe(0o700);
    for (const entry of readdirSync(env.GATEHOUSE_DATA_DIR, { withFileTypes: true })) {
      expect(mode(entry.name)).toBe(entry.isDirectory() ? 0o700 : 0o600);
    }
  });

  test("starts on an empty folder in production, and says what HTTPS needs", async () => {
    const { seen, url } = await serve(development({ GATEHOUSE_MODE: "production" }));
    expect(seen.out).toContain("production does not use plain HTTP");
    expect((await fetch(`${url}/healthz`)).status).toBe(403);
  });

  test("finishes the current request on a stop signal, accepts no new one, and exits 0", async () => {
    const env = development({ GATEHOUSE_ADMIN_TOKEN: "a".repeat(32) });
    const { url, child, stop } = await serve(env);
    const port = Number(new URL(url).port);
    const body = '{"domain":"shop.example.com","name":"Shop"}';
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    socket.setEncoding("utf8").on("data", (text) => {
      answer += text;
    });
    const ended = new Promise<void>((resolve) => socket.on("close", () => resolve()));
    const head =
      `POST /v1/admin/sites HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${"a".repeat(32)}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      "Expect: 100-continue\r\n\r\n";
    await new Promise<void>((resolve) => socket.write(head, () => resolve()));
    // The service has begun with the request once it says 100 Continue.
    await new Promise<void>((resolve) => socket.once("data", () => resolve()));
    const stopping = new Promise<void>((resolve) => {
      child.stderr?.on("data", (text) => String(text).includes("Stopping") && resolve());
    });
    const exit = stop();
    await stopping;
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    socket.write(body);
    await ended;
    expect(answer).toMatch(/HTTP\/1\.1 201 /);
    expect(await exit).toBe(0);
  });

  test("keeps running if the reader of its log is gone", async () => {
    const { url, child } = await serve({ ...development(), GATEHOUSE_LOG: "info" });
    child.stderr?.destroy();
    child.stdout?.destroy();
    for (let i = 0; i < 5; i++) expect((await fetch(`${url}/healthz`)).status).toBe(200);
  });

  test("keeps running with a half-renewed certificate, and uses the complete one", async () => {
    const folder = temporaryFolder();
    const [certFile, keyFile] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    const renew = async () => {
      const pems = await generate([{ name: "commonName", value: "localhost" }]);
      writeFileSync(certFile, pems.cert);
      writeFileSync(keyFile, pems.private);
      return new X509Certificate(pems.cert).fingerprint256;
    };
    const first = await renew();
    const env = { ...development(), GATEHOUSE_LOG: "info" };
    const tls = { GATEHOUSE_TLS_CERT: certFile, GATEHOUSE_TLS_KEY: keyFile };
    const { url, child, seen } = await serve({ ...env, ...tls });
    const shown = () =>
      new Promise<string>((resolve) => {
        const socket = tlsConnect(Number(new URL(url).port), { rejectUnauthorized: false }, () => {
          resolve(socket.getPeerCertificate().fingerprint256);
          socket.destroy();
        });
      });
    const reload = async (event: string) => {
      child.kill("SIGHUP");
      while (!seen.err.includes(event)) await new Promise((resolve) => setImmediate(resolve));
    };
    writeFileSync(certFile, "half a certificate");
    await reload("tls.not_reloaded");
    expect(await shown()).toBe(first);
    const second = await renew();
    await reload("tls.reloaded");
    expect(await shown()).toBe(second);
  });

  test("lists every variable in its help, and has no secret in the process list", async () => {
    const { out, code } = await gatehouse(["serve", "--help"], {});
    expect(code).toBe(0);
    for (const name of [
      "GATEHOUSE_BASE_URL",
      "GATEHOUSE_TRUST_PROXY",
      "GATEHOUSE_SECRETS_KEY_FILE",
    ]) {
      expect(out).toContain(name);
    }
  });
});

describe("gatehouse serve does not start, says why in one sentence, exits 3 and leaves nothing half-written with", () => {
  async function refused(
    env: Record<string, string>,
    run: typeof command = command,
  ): Promise<string> {
    const { code, out, err } = await run(["serve"], { GATEHOUSE_PORT: "0", ...env });
    expect([code, out]).toEqual([3, ""]);
    expect(err.trimEnd().split("\n").length).toBe(1);
    expect(err).not.toMatch(/ at .*\.js:\d+/);
    return err;
  }

  const nothingIn = (folder: string) =>
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);

  test("a malformed setting", async () => {
    const env = development({ GATEHOUSE_PORT: "eighty" });
    // The process itself, once: all others end before it would matter.
    expect(await refused(env, gatehouse)).toMatch(/GATEHOUSE_PORT must be a whole number/);
    nothingIn(env.GATEHOUSE_DATA_DIR);
  });

  test("an operator token that is too short", async () => {
    const env = development({ GATEHOUSE_ADMIN_TOKEN: "too-short" });
    expect(await refused(env)).toMatch(
      /GATEHOUSE_ADMIN_TOKEN must be at least 32 visible ASCII characters/,
    );
    nothingIn(env.GATEHOUSE_DATA_DIR);
  });

  test("a secrets key file that is missing or contains something else", async () => {
    const env = development({ GATEHOUSE_SECRETS_KEY_FILE: join(temporaryFolder(), "missing.key") });
    expect(await refused(env)).toMatch(/The secrets key file at .* does not exist/);
    const file = join(temporaryFolder(), "odd.key");
    writeFileSync(file, "not a key");
    expect(await refused({ ...env, GATEHOUSE_SECRETS_KEY_FILE: file })).toMatch(
      /does not contain a secrets key/,
    );
    nothingIn(env.GATEHOUSE_DATA_DIR);
  });

  test("a key file that cannot be read, because it is a folder", async () => {
    const folder = join(temporaryFolder(), "key-folder");
    mkdirSync(folder);
    const env = development({ GATEHOUSE_SECRETS_KEY_FILE: folder });
    expect(await refused(env)).toMatch(/cannot be read \(EISDIR\)/);
  });

  test("a secrets key that others can read", async () => {
    const env = development();
    await (await serve(env)).stop();
    chmodSync(join(env.GATEHOUSE_DATA_DIR, "secrets.key"), 0o644);
    expect(await refused(env)).toMatch(/can be read by other users: run `chmod 600/);
  });

  test("TLS files that are missing or not a certificate", async () => {
    const folder = temporaryFolder();
    const tls = {
      GATEHOUSE_TLS_CERT: join(folder, "c.pem"),
      GATEHOUSE_TLS_KEY: join(folder, "k.pem"),
    };
    const env = development(tls);
    expect(await refused(env)).toMatch(/The TLS certificate at .* does not exist/);
    for (const file of Object.values(tls)) writeFileSync(file, "not a PEM file");
    expect(await refused(env)).toMatch(/are not a PEM certificate and its key/);
    nothingIn(env.GATEHOUSE_DATA_DIR);
  });

  test.each(["sqlite", "postgres"] as const)(
    "a database of a newer schema on %s",
    async (dialect) => {
      const env = { ...(await freshEnvironment(dialect)) };
      await (await serve(env)).stop();
      const sql = "INSERT INTO schema_versions VALUES (99, 'future', '9.9.9', '2040-01-01')";
      if (dialect === "postgres") {
        const client = new pg.Client({ connectionString: env.GATEHOUSE_DATABASE_URL });
        await client.connect();
        await client.query(sql);
        await client.end();
      } else {
        const db = new DatabaseSync(join(env.GATEHOUSE_DATA_DIR as string, "gatehouse.db"));
        db.exec(sql);
        db.close();
      }
      expect(await refused(env)).toMatch(
        /schema version 99, but this build .* Start the newer Gatehouse/,
      );
    },
  );

  test("a port that is in use", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    const port = String((other.address() as AddressInfo).port);
    const env = development({ GATEHOUSE_PORT: port });
    expect(await refused(env)).toMatch(
      /Port \d+ on 127\.0\.0\.1 is in use: stop the program that uses it, or set/,
    );
    nothingIn(env.GATEHOUSE_DATA_DIR);
  });

  test("a data folder that cannot be created", async () => {
    const file = join(temporaryFolder(), "a-file");
    writeFileSync(file, "");
    const message = await refused(development({ GATEHOUSE_DATA_DIR: join(file, "data") }));
    expect(message).toMatch(/The data folder .* cannot be used \(ENOTDIR\)\. Make it writable/);
  });

  test.skipIf(process.platform !== "linux")(
    "a data folder in a place where none can be created",
    async () => {
      const message = await refused(development({ GATEHOUSE_DATA_DIR: "/proc/gatehouse/data" }));
      expect(message).toMatch(/The data folder .* cannot be used \(ENOENT\)/);
    },
  );

  test.skipIf(process.getuid?.() === 0)("a data folder that cannot be written", async () => {
    const folder = temporaryFolder();
    chmodSync(folder, 0o500);
    const message = await refused(development({ GATEHOUSE_DATA_DIR: folder }));
    expect(message).toMatch(/cannot be used \(EACCES\)/);
  });

  test("a database URL without a server, with a wrong password or with an unknown database", async () => {
    const url = await freshPostgres();
    const env = development();
    const at = (change: (url: URL) => void) => {
      const changed = new URL(url);
      change(changed);
      return refused({ ...env, GATEHOUSE_DATABASE_URL: changed.href });
    };
    expect(
      await at((u) => {
        u.port = "1";
      }),
    ).toMatch(/cannot be used: no server listens at this address/);
    const wrong = await at((u) => {
      u.password = "wrong-password";
    });
    expect(wrong).toMatch(/the password was rejected/);
    expect(wrong).not.toContain("wrong-password");
    expect(
      await at((u) => {
        u.pathname = "/nowhere";
      }),
    ).toMatch(/the database does not exist/);
    nothingIn(env.GATEHOUSE_DATA_DIR);
  });

  test("a database file that is not a database", async () => {
    const env = development();
    mkdirSync(env.GATEHOUSE_DATA_DIR, { mode: 0o700 });
    const file = join(env.GATEHOUSE_DATA_DIR, "gatehouse.db");
    writeFileSync(file, "hello, I am a text file and no database at all");
    expect(await refused(env)).toMatch(/cannot be opened .* check the file, or restore a backup/);
    expect(readFileSync(file, "utf8")).toMatch(/^hello/);
  });

  test("a second node that lacks the first one's secrets key", async () => {
    const first = { ...(await freshEnvironment("postgres")) };
    await (await serve(first)).stop();
    const second = { ...first, GATEHOUSE_DATA_DIR: join(temporaryFolder(), "second") };
    expect(await refused(second)).toMatch(
      /The secrets key of this database is missing\. Set GATEHOUSE_SECRETS_KEY/,
    );
    nothingIn(second.GATEHOUSE_DATA_DIR as string);
  });
});
