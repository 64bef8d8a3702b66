import { describe, expect, test } from "vitest";
import { browser, SESSION } from "../console-browser.ts";
import { type TestServer, TIER_DATABASES } from "../harness.ts";
import { joined, openTwoSites, withPasskey } from "./joining.ts";

const DAY_MS = 24 * 60 * 60_000;
const TOKENS = "/v1/admin/tokens";

describe.each(TIER_DATABASES)("tokens that expire, on %s:", (dialect) => {
  const open = () => openTwoSites(dialect);
  const make = (server: TestServer, body: object, token?: string) =>
    server.admin("POST", TOKENS, { name: "Script", role: "operator", ...body }, token);
  const statusOf = async (server: TestServer, token: string) =>
    (await server.admin("GET", "/v1/admin/sites", undefined, token)).status;

  test("one is refused from the moment on, also where its browser is signed in, and no longer counts as live", async () => {
    const { server, clock } = await open();
    const { body } = await make(server, { expires_in_days: 30 });
    expect(Date.parse(body.expires_at)).toBe(clock.now() + 30 * DAY_MS);
    const page = browser(server);
    await make(server, {}, body.token);
    clock.advance(30 * DAY_MS - 60_000);
    expect((await page.signIn({ token: body.token })).status).toBe(201);
    clock.advance(59_999);
    expect([await statusOf(server, body.token), (await page.ask("GET", SESSION)).status]).toEqual([
      200, 200,
    ]);
    clock.advance(1);
    expect([await statusOf(server, body.token), (await page.ask("GET", SESSION)).status]).toEqual([
      401, 401,
    ]);
    expect((await browser(server).signIn({ token: body.token })).status).toBe(401);
    const { items } = (await server.admin("GET", `${TOKENS}/${body.token_id}/descendants`)).body;
    expect(items).toEqual([]);
  });

  test("a token from before, or without a wish, does not expire", async () => {
    const { server, clock } = await open();
    const { body } = await make(server, {});
    expect(body.expires_at).toBe(null);
    clock.advance(3651 * DAY_MS);
    expect(await statusOf(server, body.token)).toBe(200);
  });

  test("the record says when it expires, and the list too", async () => {
    const { server } = await open();
    const { body } = await make(server, { expires_in_days: 90 });
    const path = "/v1/admin/installation/audit/records?limit=10&type=token.issued";
    const [first] = (await server.admin("GET", path)).body.items;
    expect(first.record.token).toEqual({
      token_id: body.token_id,
      role: "operator",
      expires_at: body.expires_at,
    });
    const { items } = (await server.admin("GET", TOKENS)).body;
    expect(items[0].expires_at).toBe(body.expires_at);
  });

  test("it makes none that outlives it, and without a wish one that ends with it", async () => {
    const { server, clock } = await open();
    const { body } = await make(server, { expires_in_days: 30 });
    const longer = await make(server, { expires_in_days: 31 }, body.token);
    expect([longer.status, longer.body.message]).toEqual([
      403,
      expect.stringContaining("expires later than itself"),
    ]);
    const child = await make(server, {}, body.token);
    expect(child.body.expires_at).toBe(body.expires_at);
    const grandchild = await make(server, {}, child.body.token);
    clock.advance(30 * DAY_MS);
    expect(await statusOf(server, grandchild.body.token)).toBe(401);
  });

  test("a browser that signed in with it makes none that outlives it either", async () => {
    const { server } = await open();
    const { body } = await make(server, { expires_in_days: 30 });
    const page = browser(server);
    await page.signIn({ token: body.token });
    const child = { name: "Kept", role: "operator", expires_in_days: 365 };
    expect((await page.ask("POST", TOKENS, child)).status).toBe(403);
  });

  test("a link that it made signs in nobody after it has expired", async () => {
    const { server, clock } = await open();
    await server.admin("POST", "/v1/admin/people", { name: "Oscar", role: "operator" });
    const { body } = await make(server, { expires_in_days: 1 });
    clock.advance(DAY_MS - 1);
    const { url } = (await server.admin("POST", "/v1/admin/console-links", {}, body.token)).body;
    clock.advance(1);
    const code = new URL(url).hash.replace("#code=", "");
    expect((await browser(server).signIn({ code })).status).toBe(401);
  });

  test.each([0, 3651, 1.5, "30"])("a life of %s days is refused", async (days) => {
    const { server } = await open();
    expect((await make(server, { expires_in_days: days })).status).toBe(400);
  });

  test("an owner makes one for their site", async () => {
    const { server, mine } = await open();
    const { page } = await joined(server, mine, "owner");
    await withPasskey(server, page);
    const asked = { name: "Script", role: "auditor", expires_in_days: 90 };
    const { body } = await page.ask("POST", `/v1/admin/sites/${mine}/tokens`, asked);
    expect(body.expires_at).not.toBe(null);
  });
});
