import { describe, expect, test } from "vitest";
import { ManualClock } from "../src/infra/clock.ts";
import { browser, SESSION } from "./console-browser.ts";
import {
  createSite,
  freshEnvironment,
  NOON,
  OPERATOR_TOKEN,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "./harness.ts";

const LINKS = "/v1/admin/console-links";
const HOUR_MS = 3_600_000;

describe.each(TIER_DATABASES)("signing in at the console, on %s:", (dialect) => {
  async function open() {
    const clock = new ManualClock(NOON);
    const server = await startServer(await freshEnvironment(dialect), { clock });
    const site = await createSite(server, "mine.example.com");
    // Before somebody is the operator, links of the operator's token set up the first owner.
    await server.admin("POST", "/v1/admin/people", { name: "Oscar", role: "operator" });
    return { clock, server, site: site.site_key_hash, page: browser(server) };
  }
  const codeOf = async (server: TestServer, token?: string) => {
    const { body } = await server.admin("POST", LINKS, {}, token);
    return { code: new URL(body.url).hash.replace("#code=", ""), ...body };
  };

  test("a token gives the browser a session secret that no script and no other site can read", async () => {
    const { server, page, site } = await open();
    const signedIn = await page.signIn({ token: OPERATOR_TOKEN });
    expect([signedIn.status, signedIn.body.role]).toEqual([201, "operator"]);
    expect(signedIn.set).toMatch(
      /^__Host-gatehouse=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(signedIn.headers.get("cache-control")).toBe("no-store");
    expect((await page.ask("GET", `/v1/admin/sites/${site}`)).body.domain).toBe("mine.example.com");
    expect((await page.ask("GET", SESSION)).body).toMatchObject({ role: "operator", sites: null });
    const kept = JSON.stringify(await server.context.db.all("SELECT * FROM console_sessions"));
    expect(kept).not.toContain(page.cookie?.split("=")[1]);
    expect(kept).not.toContain(OPERATOR_TOKEN);
  });

  test("a link from the terminal signs in once, within ten minutes", async () => {
    const { server, clock, page } = await open();
    const { url, code } = await codeOf(server);
    expect(url).toBe(`${server.context.config.baseUrl}/console#code=${code}`);
    expect((await page.signIn({ code })).status).toBe(201);
    const again = await browser(server).signIn({ code });
    expect([again.status, again.body.message]).toEqual([
      401,
      expect.stringContaining("was already used"),
    ]);
    const late = await codeOf(server);
    clock.advance(10 * 60_000);
    expect((await browser(server).signIn({ code: late.code })).status).toBe(401);
  });

  test("a session cannot create links, and one token has at most twenty open links", async () => {
    const { server, clock, page } = await open();
    await page.signIn({ token: OPERATOR_TOKEN });
    expect((await page.ask("POST", LINKS, {})).status).toBe(403);
    const first = await codeOf(server);
    for (let more = 0; more < 20; more++) {
      clock.advance(1);
      await codeOf(server);
    }
    expect((await browser(server).signIn({ code: first.code })).status).toBe(401);
    const { count } = (await server.context.db.get<{ count: number }>(
      "SELECT COUNT(*) AS count FROM console_codes",
    )) ?? { count: 0 };
    expect(Number(count)).toBe(20);
  });

  test("only one of two browsers that use a link at the same time is signed in", async () => {
    const { server } = await open();
    const { code } = await codeOf(server);
    const tries = Array.from({ length: 5 }, () => browser(server).signIn({ code }));
    const statuses = (await Promise.all(tries)).map(({ status }) => status).sort();
    expect(statuses).toEqual([201, 401, 401, 401, 401]);
  });

  test("a session has the rights of its token and ends with it", async () => {
    const { server, page, site } = await open();
    const { body } = await server.admin("POST", "/v1/admin/tokens", {
      name: "Rita",
      role: "reviewer",
      sites: [site],
    });
    const { code } = await codeOf(server, body.token);
    const who = { name: "Rita", role: "reviewer", sites: [site] };
    expect((await page.signIn({ code })).body).toMatchObject(who);
    const path = `/v1/admin/sites/${site}`;
    expect((await page.ask("GET", path)).status).toBe(200);
    const policy = { policy: "rules/1", timezone: "UTC", default: "deny", rules: [] };
    expect((await page.ask("PUT", `${path}/policy`, policy)).status).toBe(403);
    const other = await createSite(server, "theirs.example.com");
    expect((await page.ask("GET", `/v1/admin/sites/${other.site_key_hash}`)).status).toBe(404);
    await server.admin("DELETE", `/v1/admin/tokens/${body.token_id}`);
    expect((await page.ask("GET", path)).status).toBe(401);
    expect((await page.ask("GET", SESSION)).status).toBe(401);
  });

  test("a session ends when the person signs out, after half a day, and with the operator's token", async () => {
    const { server, clock, page } = await open();
    await page.signIn({ token: OPERATOR_TOKEN });
    const before = page.cookie;
    const out = await page.ask("DELETE", SESSION);
    expect([out.status, out.set]).toEqual([204, expect.stringContaining("Max-Age=0")]);
    page.cookie = before;
    expect((await page.ask("GET", SESSION)).status).toBe(401);
    await page.signIn({ token: OPERATOR_TOKEN });
    clock.advance(12 * HOUR_MS - 1);
    expect((await page.ask("GET", SESSION)).status).toBe(200);
    clock.advance(1);
    expect((await page.ask("GET", SESSION)).status).toBe(401);
    await page.signIn({ token: OPERATOR_TOKEN });
    const { env } = server;
    await server.stop();
    const next = await startServer({
      ...env,
      GATEHOUSE_ADMIN_TOKEN: "another-operator-token-0123456789abcdef",
    });
    const later = browser(next);
    later.cookie = page.cookie;
    expect((await later.ask("GET", SESSION)).status).toBe(401);
  });

  test("signing in replaces a session that somebody else planted in the browser", async () => {
    const { server, page } = await open();
    const attacker = browser(server);
    const { body } = await server.admin("POST", "/v1/admin/tokens", {
      name: "Mallory",
      role: "operator",
    });
    await attacker.signIn({ token: body.token });
    page.cookie = attacker.cookie;
    await page.signIn({ token: OPERATOR_TOKEN });
    expect(page.cookie).not.toBe(attacker.cookie);
    expect((await page.ask("GET", SESSION)).body.token_id).toBe("operator");
    // What was planted is nobody's any more.
    expect((await attacker.ask("GET", SESSION)).status).toBe(401);
    page.cookie = "__Host-gatehouse=made-up";
    expect((await page.ask("GET", SESSION)).status).toBe(401);
  });

  test.each([
    ["without the console's header", { origin: "self" }],
    ["from another origin", { "x-gatehouse-console": "1", origin: "https://evil.example" }],
    ["from a page of the same site", { "x-gatehouse-console": "1", "sec-fetch-site": "same-site" }],
    ["from nowhere", { "x-gatehouse-console": "1", origin: "null" }],
  ])(
    "a request %s is not accepted as the console's, and nothing is read, changed or signed in",
    async (_, given) => {
      const { server, page, site } = await open();
      await page.signIn({ token: OPERATOR_TOKEN });
      const headers = { ...(given as Record<string, string>) };
      if (headers.origin === "self") headers.origin = page.own.origin;
      const path = `/v1/admin/sites/${site}`;
      expect((await page.ask("DELETE", path, undefined, headers)).status).toBe(403);
      expect((await page.ask("GET", path, undefined, headers)).status).toBe(403);
      const signIn = await page.ask("POST", SESSION, { token: OPERATOR_TOKEN }, headers);
      expect([signIn.status, signIn.set]).toEqual([403, null]);
      expect((await page.ask("DELETE", SESSION, undefined, headers)).status).toBe(403);
      expect((await page.ask("GET", SESSION)).status).toBe(200);
      // A token needs no cookie, and says itself who sends it.
      expect((await server.admin("GET", path)).status).toBe(200);
    },
  );

  test("guessing tokens or links locks the address out, and valid tokens keep working", async () => {
    const { server, page } = await open();
    for (let i = 0; i < 10; i++)
      expect((await page.signIn({ token: `wrong-${i}` })).status).toBe(401);
    const waits = await page.signIn({ token: "wrong-again" });
    expect([waits.status, Number(waits.headers.get("retry-after"))]).toEqual([
      429,
      expect.toSatisfy((s) => s > 0),
    ]);
    for (let i = 0; i < 10; i++)
      expect((await page.signIn({ code: `wrong-${i}` })).status).toBe(401);
    expect((await page.signIn({ code: "wrong-again" })).status).toBe(429);
    expect((await server.admin("GET", "/v1/admin/tokens")).status).toBe(200);
  });

  test.each([{}, { code: "" }, { token: 5 }, { code: "x", token: "y" }, []])(
    "it refuses a body that is not a credential: %j",
    async (given) => {
      const { page } = await open();
      const refused = await page.signIn(given);
      expect([refused.status, refused.body.error]).toEqual([400, "invalid_request"]);
    },
  );

  test("twenty browsers can sign in with one token, and another one ends the oldest session", async () => {
    const { server, clock, page } = await open();
    await page.signIn({ token: OPERATOR_TOKEN });
    const others = Array.from({ length: 20 }, () => browser(server));
    for (const other of others) {
      clock.advance(1000);
      await other.signIn({ token: OPERATOR_TOKEN });
    }
    expect((await page.ask("GET", SESSION)).status).toBe(401);
    expect((await (others[0] as typeof page).ask("GET", SESSION)).status).toBe(200);
  });
});
