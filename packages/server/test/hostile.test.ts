import { connect, type Socket } from "node:net";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { headMetaContents } from "../src/domain/sites/head-metas.ts";
import { DatabaseUnavailableError } from "../src/infra/db/database.ts";
import {
  answerOf,
  createSite,
  freshEnvironment,
  OPERATOR_TOKEN,
  raw,
  startServer,
} from "./harness.ts";

describe("the page of a stranger is read in linear time if it has", () => {
  const NAME = "gatehouse-site-verification";
  const meta = `<meta name="${NAME}" content="t">`;

  test.each([
    [
      "formatting elements that are reopened endlessly",
      `<p>${Array.from({ length: 4500 }, (_, i) => `<b a${i}>`).join("")}${"<p>x".repeat(4000)}`,
    ],
    [
      "one tag with thousands of attributes",
      `<meta ${Array.from({ length: 16_000 }, (_, i) => `a${i}`).join(" ")}>${meta}`,
    ],
    ["a tag that never ends", `<meta content="${"x".repeat(60_000)}`],
    ["a comment that never ends", `<!--${"-".repeat(60_000)}`],
    ["templates nested thousands deep", `${"<template>".repeat(6000)}${meta}`],
    ["unclosed raw text", `<title>${"x".repeat(60_000)}${meta}`],
  ])("%s", (_name, html) => {
    expect(headMetaContents(html, NAME)).toEqual([]);
  });

  test("a long but valid head before the tag, which is found", () => {
    const links = '<link rel="preload" href="/a.js">'.repeat(800);
    const script = `<script>${"var x = '<meta>';".repeat(500)}</script>`;
    expect(headMetaContents(`<head>${links}${script}${meta}</head>`, NAME)).toEqual(["t"]);
  });
});

test("a verification that loses a race does not change the site that holds the domain", async () => {
  const server = await startServer(await freshEnvironment("sqlite"));
  const holder = await createSite(server, "shop.example.com");
  const late = await createSite(server, "shop.example.com", false);
  const path = `/v1/admin/sites/${late.site_key_hash}`;
  server.context.resolver.txt = async () => {
    await server.admin("PATCH", path, { name: "Changed meanwhile" });
    return [late.verification.dns.value];
  };
  expect((await server.admin("POST", `${path}/verify`, { method: "dns" })).status).toBe(409);
  const { body } = await server.admin("GET", `/v1/admin/sites/${holder.site_key_hash}`);
  expect(body.status).toBe("verified");
});

test("the service keeps running, whatever another role notifies on PostgreSQL", async () => {
  const env = await freshEnvironment("postgres");
  const server = await startServer(env);
  const other = new pg.Client({ connectionString: env.GATEHOUSE_DATABASE_URL });
  await other.connect();
  onTestFinished(() => other.end());
  const heard = new Promise<void>((resolve) => {
    let count = 0;
    server.context.db.changes.subscribe(() => ++count === 3 && resolve());
  });
  for (const payload of ["''", "'not json'", "'[1,2,3]'"]) {
    await other.query(`NOTIFY gatehouse_changes, ${payload}`);
  }
  await heard;
  expect((await server.admin("GET", "/v1/admin/keys")).status).toBe(200);
});

describe("signing keys with a slow database:", () => {
  test("a read that began before a rotation does not restore the retired key", async () => {
    const { context } = await startServer(await freshEnvironment("sqlite"));
    const { db, keys } = context;
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const all = db.all.bind(db);
    let first = true;
    db.all = async (sql, ...values) => {
      const rows = await all(sql, ...values);
      if (first && sql.includes("signing_keys")) {
        first = false;
        await held;
      }
      return rows as never;
    };
    const early = keys.check();
    const rotated = await keys.rotate("card", { force: true });
    release();
    await early;
    expect((await keys.signer("card")).kid).toBe(rotated.ok && rotated.value.kid);
  });

  test("a failed read is tried again by the next request", async () => {
    const { context } = await startServer(await freshEnvironment("sqlite"));
    const { db, keys } = context;
    const all = db.all.bind(db);
    db.all = () => Promise.reject(new Error("busy"));
    await expect(keys.check()).rejects.toThrow("busy");
    db.all = all;
    expect((await keys.signer("card")).kid).toMatch(/^service-card-/);
  });
});

describe("signing in under attack:", () => {
  const sites = "/v1/admin/sites";

  test("requests without a token, as any page could send them, lock nobody out", async () => {
    const server = await startServer(await freshEnvironment("sqlite"));
    for (let i = 0; i < 30; i++) {
      await fetch(server.url + sites);
      await fetch(`${server.url}/v1/admin/anything`, { method: "OPTIONS" });
    }
    expect((await server.admin("GET", sites)).status).toBe(200);
  });

  test("concurrent wrong tokens are all counted", async () => {
    const server = await startServer(await freshEnvironment("postgres"));
    const tries = Array.from({ length: 100 }, (_, i) =>
      server.admin("GET", sites, undefined, `wrong-${i}`),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(11);
  });

  test("concurrent valid tokens all pass", async () => {
    const server = await startServer(await freshEnvironment("sqlite"));
    const { token } = (
      await server.admin("POST", "/v1/admin/tokens", { name: "x", role: "operator" })
    ).body;
    const many = Array.from({ length: 50 }, () => server.admin("GET", sites, undefined, token));
    expect((await Promise.all(many)).every(({ status }) => status === 200)).toBe(true);
  });

  test("a token revoked while an older request is in progress is refused by the next", async () => {
    const server = await startServer(await freshEnvironment("sqlite"));
    const made = await server.admin("POST", "/v1/admin/tokens", { name: "x", role: "operator" });
    const { token, token_id } = made.body;
    const { db } = server.context;
    const get = db.get.bind(db);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let asked = () => {};
    const looking = new Promise<void>((resolve) => {
      asked = resolve;
    });
    db.get = async (sql, ...values) => {
      const row = await get(sql, ...values);
      if (!sql.includes("digest = ?")) return row as never;
      db.get = get;
      asked();
      await held;
      return row as never;
    };
    const older = server.admin("GET", sites, undefined, token);
    await looking;
    await server.admin("DELETE", `/v1/admin/tokens/${token_id}`);
    const next = server.admin("GET", sites, undefined, token);
    expect((await next).status).toBe(401);
    release();
    expect((await older).status).toBe(200);
  });

  test("an outage of the database locks nobody out", async () => {
    const server = await startServer(await freshEnvironment("sqlite"));
    const { token } = (
      await server.admin("POST", "/v1/admin/tokens", { name: "x", role: "operator" })
    ).body;
    const { db } = server.context;
    const get = db.get.bind(db);
    db.get = () => Promise.reject(new DatabaseUnavailableError("away"));
    for (let i = 0; i < 15; i++) {
      expect((await server.admin("GET", sites, undefined, token)).status).toBe(503);
    }
    db.get = get;
    expect((await server.admin("GET", sites, undefined, token)).status).toBe(200);
  });

  test("metrics count wrong tokens too", async () => {
    const server = await startServer(await freshEnvironment("sqlite"));
    const ask = (token: string) =>
      fetch(`${server.url}/metrics`, {
        headers: { authorization: `Bearer ${token}`, "x-forwarded-for": "198.51.100.1" },
      });
    const statuses = [];
    for (let i = 0; i < 12; i++) statuses.push((await ask("wrong")).status);
    expect(statuses.slice(-2)).toEqual([429, 429]);
    expect((await ask(OPERATOR_TOKEN)).status).toBe(429);
  });
});

describe("an unusual request gets every header and a defined answer:", () => {
  test.each([
    ["no Host", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"],
    ["an empty Host", "GET /healthz HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n"],
    ["a Host that is no host", "GET /x HTTP/1.1\r\nHost: [bad\r\nConnection: close\r\n\r\n"],
    ["HTTP/1.0", "GET /healthz HTTP/1.0\r\n\r\n"],
    ["OPTIONS *", "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"],
    [
      "an unknown expectation",
      "GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nConnection: close\r\n\r\n",
    ],
    ["CONNECT", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n"],
  ])("%s", async (_name, request) => {
    const { port } = await startServer(await freshEnvironment("sqlite"));
    const answer = (await raw(port, request)).toLowerCase();
    expect(answer).toMatch(/^http\/1\.1 \d{3} /);
    for (const header of [
      "x-request-id: req_",
      "x-content-type-options: nosniff",
      "cache-control: no-store",
    ]) {
      expect(answer).toContain(header);
    }
  });

  test("a bad Host in production over plain HTTP gets https_required like any other", async () => {
    const env = { ...(await freshEnvironment("sqlite")), GATEHOUSE_MODE: "production" };
    const { port } = await startServer(env);
    expect(await raw(port, "GET / HTTP/1.1\r\nHost: [bad\r\n\r\n")).toContain("https_required");
  });

  test("a search for NUL is refused", async () => {
    const server = await startServer(await freshEnvironment("postgres"));
    const { site_key_hash } = await createSite(server, "shop.example.com");
    for (const path of ["audit/records?type=", "visits?agent=", "visits/counts?agent="]) {
      const answer = await server.admin("GET", `/v1/admin/sites/${site_key_hash}/${path}%00`);
      expect([path, answer.status]).toEqual([path, 400]);
    }
  });

  test("NUL and control characters are dropped from names, and match nothing in queries", async () => {
    const server = await startServer(await freshEnvironment("postgres"));
    expect((await server.admin("GET", "/v1/admin/sites?domain=%00")).status).toBe(200);
    for (const [name, kept] of [
      ["a\u0000b", "ab"],
      ["\u001b[31mred", "[31mred"],
      ["a\u202eb\nc", "ab c"],
    ]) {
      const answer = await server.admin("POST", "/v1/admin/tokens", { name, role: "operator" });
      expect([answer.status, answer.body.name]).toEqual([201, kept]);
    }
  });

  test("an upload that breaks off is not counted as a server error", async () => {
    const server = await startServer(await freshEnvironment("sqlite"));
    const socket: Socket = connect(server.port, "127.0.0.1");
    const head = `POST /v1/admin/sites HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${OPERATOR_TOKEN}\r\n`;
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"domain"`);
    const counted = async () =>
      (await (await fetch(`${server.url}/metrics`)).text()).includes('method="POST"');
    socket.on("error", () => undefined);
    setImmediate(() => socket.resetAndDestroy());
    while (!(await counted())) await new Promise((resolve) => setImmediate(resolve));
    expect(await (await fetch(`${server.url}/metrics`)).text()).not.toContain('status="500"');
  });

  test("a client that pipelines without reading is disconnected", async () => {
    const { port, url } = await startServer(await freshEnvironment("sqlite"));
    const request = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n";
    const answer = await raw(port, request.repeat(500)).catch(() => "reset");
    expect(answer.split("HTTP/1.1 200").length).toBeLessThan(100);
    expect((await answerOf(await fetch(`${url}/healthz`))).status).toBe(200);
  });
});
