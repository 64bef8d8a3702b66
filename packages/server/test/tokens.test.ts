import { describe, expect, test } from "vitest";
import { ManualClock } from "../src/infra/clock.ts";
import {
  answerOf,
  createSite,
  freshEnvironment,
  NOON,
  OPERATOR_TOKEN,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "./harness.ts";

const TOKENS = "/v1/admin/tokens";

async function tokenFor(server: TestServer, role: string, sites?: string[]): Promise<string> {
  const { body } = await server.admin("POST", TOKENS, { name: role, role, sites });
  return body.token;
}

describe.each(TIER_DATABASES)("admin tokens on %s:", (dialect) => {
  const start = async () => {
    const server = await startServer(await freshEnvironment(dialect));
    const mine = await createSite(server, "mine.example.com");
    const theirs = await createSite(server, "theirs.example.com");
    return { server, mine: mine.site_key_hash, theirs: theirs.site_key_hash };
  };

  test("an owner's token cannot start the service, because it would become the operator's", async () => {
    const { server, mine } = await start();
    const token = await tokenFor(server, "owner", [mine]);
    const { env } = server;
    await server.stop();
    const started = startServer({ ...env, GATEHOUSE_ADMIN_TOKEN: token });
    await expect(started).rejects.toThrow(
      /is set to the token “owner” \(owner\) of this installation/,
    );
  });

  test("a token works, is shown once, and is stored only as a digest", async () => {
    const { server, mine } = await start();
    const made = await server.admin("POST", TOKENS, { name: "Ann", role: "owner", sites: [mine] });
    expect(made.status).toBe(201);
    expect(made.body.token).toMatch(/^gha_[A-Za-z0-9_-]{43}$/);
    const seen = await server.admin("GET", `/v1/admin/sites/${mine}`, undefined, made.body.token);
    expect(seen.status).toBe(200);
    const list = await server.admin("GET", TOKENS);
    expect(list.body.items[0]).toMatchObject({ name: "Ann", role: "owner", sites: [mine] });
    const stored = JSON.stringify(await server.context.db.all("SELECT * FROM admin_tokens"));
    for (const text of [JSON.stringify(list.body), stored])
      expect(text).not.toContain(made.body.token);
  });

  test("a revoked token stops working at once, and revoking it again changes nothing", async () => {
    const { server } = await start();
    const { body } = await server.admin("POST", TOKENS, { name: "Bot", role: "operator" });
    expect((await server.admin("GET", TOKENS, undefined, body.token)).status).toBe(200);
    const path = `${TOKENS}/${body.token_id}`;
    expect((await server.admin("DELETE", path)).status).toBe(204);
    expect((await server.admin("GET", TOKENS, undefined, body.token)).status).toBe(401);
    expect((await server.admin("DELETE", path)).status).toBe(204);
    expect((await server.admin("DELETE", `${TOKENS}/adm_unknown`)).status).toBe(404);
  });

  test("a site's token sees that site and no trace of another", async () => {
    const { server, mine, theirs } = await start();
    const owner = await tokenFor(server, "owner", [mine]);
    const list = await server.admin("GET", "/v1/admin/sites", undefined, owner);
    expect(list.body.items.map((site: { domain: string }) => site.domain)).toEqual([
      "mine.example.com",
    ]);
    const unknown = await server.admin(
      "GET",
      `/v1/admin/sites/${"A".repeat(43)}`,
      undefined,
      owner,
    );
    for (const [method, path, body] of [
      ["GET", `/v1/admin/sites/${theirs}`],
      ["PATCH", `/v1/admin/sites/${theirs}`, { name: "Mine now" }],
      ["POST", `/v1/admin/sites/${theirs}/verify`, { method: "dns" }],
      ["POST", `/v1/admin/sites/${theirs}/tokens`, { name: "x", role: "auditor" }],
      ["GET", `/v1/admin/sites/${theirs}/tokens`],
    ] as const) {
      const answer = await server.admin(method, path, body, owner);
      expect([answer.status, answer.body.message]).toEqual([404, unknown.body.message]);
    }
  });

  test("each role may do what its rank allows, and nothing above it", async () => {
    const { server, mine } = await start();
    const site = `/v1/admin/sites/${mine}`;
    const requests = [
      ["GET", site],
      ["PATCH", site, { name: "Renamed" }],
      ["POST", `${site}/tokens`, { name: "x", role: "auditor" }],
      ["POST", `${site}/verify`, { method: "operator", reason: "x" }],
      ["POST", "/v1/admin/sites", { domain: "x.example.com", name: "X" }],
      ["GET", TOKENS],
      ["GET", "/v1/admin/keys"],
      ["DELETE", site],
    ] as const;
    const statuses = async (token: string) => {
      const all = [];
      for (const [method, path, body] of requests) {
        all.push((await server.admin(method, path, body, token)).status);
      }
      return all;
    };
    const low = [200, 403, 403, 403, 403, 403, 403, 403];
    expect(await statuses(await tokenFor(server, "auditor", [mine]))).toEqual(low);
    expect(await statuses(await tokenFor(server, "reviewer", [mine]))).toEqual(low);
    const owner = [200, 200, 201, 403, 403, 403, 403, 403];
    expect(await statuses(await tokenFor(server, "owner", [mine]))).toEqual(owner);
    const operator = [200, 200, 201, 200, 201, 200, 200, 204];
    expect(await statuses(await tokenFor(server, "operator"))).toEqual(operator);
  });

  test("no token makes a token of a higher role or for sites it may not see", async () => {
    const { server, mine, theirs } = await start();
    const owner = await tokenFor(server, "owner", [mine]);
    const mint = (path: string, body: unknown) => server.admin("POST", path, body, owner);
    const site = `/v1/admin/sites/${mine}/tokens`;
    expect((await mint(site, { name: "x", role: "operator" })).status).toBe(400);
    expect((await mint(TOKENS, { name: "x", role: "owner", sites: [mine] })).status).toBe(403);
    expect((await mint(site, { name: "x", role: "owner" })).body.sites).toEqual([mine]);
    const other = await server.admin("POST", TOKENS, { name: "o", role: "owner", sites: [theirs] });
    const both = { name: "b", role: "owner", sites: [mine, theirs] };
    const shared = await server.admin("POST", TOKENS, both);
    for (const { token_id } of [other.body, shared.body]) {
      expect((await server.admin("DELETE", `${TOKENS}/${token_id}`, undefined, owner)).status).toBe(
        404,
      );
    }
    const listed = await server.admin("GET", site, undefined, owner);
    expect(listed.body.items.length).toBe(3);
  });

  test.each([
    ["an operator limited to sites", { name: "x", role: "operator", sites: ["A".repeat(43)] }],
    ["an owner of every site", { name: "x", role: "owner" }],
    ["an unknown site", { name: "x", role: "owner", sites: ["A".repeat(43)] }],
    ["an unknown role", { name: "x", role: "root" }],
    ["no name", { name: " ", role: "operator" }],
  ])("creating a token with %s is refused", async (_name, body) => {
    const { server } = await start();
    expect((await server.admin("POST", TOKENS, body)).status).toBe(400);
  });
});

describe("signing in with a token:", () => {
  test.each([
    ["no header", {}],
    ["another scheme", { authorization: `Basic ${OPERATOR_TOKEN}` }],
    ["a wrong token", { authorization: "Bearer wrong" }],
    ["an enormous token", { authorization: `Bearer ${"x".repeat(8000)}` }],
    ["the token with something appended", { authorization: `Bearer ${OPERATOR_TOKEN}x` }],
  ])("a request with %s is answered 401 with the name of the scheme", async (_name, headers) => {
    const server = await startServer(await freshEnvironment("sqlite"));
    const answer = await answerOf(await fetch(`${server.url}/v1/admin/sites`, { headers }));
    expect([answer.status, answer.body.error]).toEqual([401, "unauthorized"]);
    expect(answer.headers.get("www-authenticate")).toBe("Bearer");
  });

  test("a token in the URL is ignored", async () => {
    const server = await startServer(await freshEnvironment("sqlite"));
    const query = `token=${OPERATOR_TOKEN}&access_token=${OPERATOR_TOKEN}`;
    expect((await fetch(`${server.url}/v1/admin/sites?${query}`)).status).toBe(401);
  });

  test("ten failures in a minute lock the address out, even with the right token, until time passes", async () => {
    const clock = new ManualClock(NOON);
    const server = await startServer(await freshEnvironment("sqlite"), { clock });
    const statuses = [];
    for (let i = 0; i < 11; i++) {
      statuses.push((await server.admin("GET", "/v1/admin/sites", undefined, "wrong")).status);
    }
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    const locked = await server.admin("GET", "/v1/admin/sites");
    expect(locked.status).toBe(429);
    expect(Number(locked.headers.get("retry-after"))).toBeGreaterThan(0);
    clock.advance(60_000);
    expect((await server.admin("GET", "/v1/admin/sites")).status).toBe(200);
  });
});
