import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../src/infra/clock.ts";
import { SESSION } from "./console-browser.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  OPERATOR_TOKEN,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "./harness.ts";
import type { Buyer, Shop } from "./mandates/submitting.ts";
import { joined, type Page } from "./people/joining.ts";
import { selling } from "./selling/selling.ts";

const PALM = { items: [{ id: "palm", quantity: 1 }], total: "600.00" };

/** Somebody who listens to what changes at a site. */
async function listener(
  server: TestServer,
  site: string,
  by: string | Record<string, string> = OPERATOR_TOKEN,
) {
  const ending = new AbortController();
  onTestFinished(() => ending.abort());
  const response = await fetch(`${server.url}/v1/admin/sites/${site}/changes`, {
    headers: typeof by === "string" ? { authorization: `Bearer ${by}` } : by,
    signal: ending.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const said: string[] = [];
  /** What is said next; undefined where it ended. Several may come at once. */
  const next = async (): Promise<string | undefined> => {
    while (said.length === 0) {
      const { value } = (await reader?.read()) ?? {};
      if (value === undefined) return undefined;
      said.push(...value.split("\n\n").filter((one) => one !== ""));
    }
    return said.shift();
  };
  return { response, next };
}

describe.each(TIER_DATABASES)("live updates of a site, on %s:", (dialect) => {
  const clock = new ManualClock(NOON);
  let env: Record<string, string>;
  let server: TestServer;
  let at: ReturnType<typeof selling>;
  let shop: Shop;
  let buyer: Buyer;
  beforeAll(async () => {
    env = await freshEnvironment(dialect);
    server = await startServer(env, { clock });
    at = selling(server);
    return cleanUp;
  });
  beforeEach(async () => {
    shop = await at.shop();
    buyer = await at.buyer(shop);
  });

  test("twenty clients of one token can listen at once, and other tokens still can", async () => {
    const tokenOf = async () => {
      const asked = { name: "Nosy", role: "auditor", sites: [shop.site_key_hash] };
      return (await server.admin("POST", "/v1/admin/tokens", asked)).body.token;
    };
    const nosy = await tokenOf();
    const listen = (token: string) => listener(server, shop.site_key_hash, token);
    for (let more = 0; more < 20; more++) expect((await listen(nosy)).response.status).toBe(200);
    const refused = (await listen(nosy)).response;
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "30"]);
    expect((await listen(await tokenOf())).response.status).toBe(200);
  });

  test("sixty clients of one site can listen at once, whatever their tokens, and other sites still can", async () => {
    const tokenOf = async ({ site_key_hash }: Shop) => {
      const asked = { name: "Nosy", role: "auditor", sites: [site_key_hash] };
      return (await server.admin("POST", "/v1/admin/tokens", asked)).body.token;
    };
    const listen = async (to: Shop, token: string) =>
      (await listener(server, to.site_key_hash, token)).response.status;
    for (let tokens = 0; tokens < 3; tokens++) {
      const token = await tokenOf(shop);
      for (let more = 0; more < 20; more++) expect(await listen(shop, token)).toBe(200);
    }
    expect(await listen(shop, await tokenOf(shop))).toBe(503);
    const other = await at.shop();
    expect(await listen(other, await tokenOf(other))).toBe(200);
  });

  test("HEAD gets the headers and counts for no limit", async () => {
    const url = `${server.url}/v1/admin/sites/${shop.site_key_hash}/changes`;
    const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` };
    for (let more = 0; more < 25; more++) {
      const { status } = await fetch(url, { method: "HEAD", headers });
      expect(status).toBe(200);
    }
  });

  test("they name reviews and orders of this site only, and never their content", async () => {
    const other = await at.shop();
    const quiet = await listener(server, other.site_key_hash);
    const { response, next } = await listener(server, shop.site_key_hash);
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
    expect(await next()).toBe(": listening");
    expect(await quiet.next()).toBe(": listening");
    const asked = await at.order(shop, buyer, PALM);
    expect(await next()).toBe("data: reviews");
    await shop.admin("POST", `/escalations/${asked.body.escalation_id}/approve`, {});
    const heard = new Set<unknown>();
    while (heard.size < 2) heard.add(await next());
    expect(heard).toEqual(new Set(["data: reviews", "data: orders"]));
    // Nothing of all that was told elsewhere: the first they hear is of an order of theirs.
    expect((await at.order(other, await at.buyer(other))).status).toBe(200);
    expect(await quiet.next()).toBe("data: orders");
  });

  test("they go to tokens that can see the site, for as long as they can", async () => {
    const made = await server.admin("POST", "/v1/admin/tokens", {
      name: "Rita",
      role: "reviewer",
      sites: [shop.site_key_hash],
    });
    const elsewhere = await at.shop();
    const denied = await listener(server, elsewhere.site_key_hash, made.body.token);
    expect(denied.response.status).toBe(404);
    const { next } = await listener(server, shop.site_key_hash, made.body.token);
    expect(await next()).toBe(": listening");
    const beat = next();
    clock.advance(15_000);
    expect(await beat).toBe(": still here");
    const last = next();
    await server.admin("DELETE", `/v1/admin/tokens/${made.body.token_id}`);
    clock.advance(1000);
    expect(await last).toBe(undefined);
  });

  test("they end within a second of the session, or of the role at the site", async () => {
    const site = shop.site_key_hash as string;
    const ends = async (end: (page: Page, id: string) => Promise<{ status: number }>) => {
      const { page, id } = await joined(server, site, "reviewer");
      const { next } = await listener(server, site, { ...page.own, cookie: page.cookie ?? "" });
      expect(await next()).toBe(": listening");
      const last = next();
      expect((await end(page, id)).status).toBe(204);
      clock.advance(1000);
      expect(await last).toBe(undefined);
    };
    await ends((page) => page.ask("DELETE", SESSION));
    await ends((_page, id) => server.admin("DELETE", `/v1/admin/sites/${site}/people/${id}`));
  });

  test("a stopping process ends them without waiting", async () => {
    const leaving = await startServer(env, { clock });
    const { next } = await listener(leaving, shop.site_key_hash);
    await next();
    const last = next();
    leaving.context.streams.endAll();
    expect(await last).toBe(undefined);
    await leaving.stop();
  });
});

test("live updates reach every node that shares a PostgreSQL", async () => {
  const env = await freshEnvironment("postgres");
  const [first, second] = [await startServer(env), await startServer(env)];
  const at = selling(first);
  const shop = await at.shop();
  const { next } = await listener(second, shop.site_key_hash);
  expect(await next()).toBe(": listening");
  await at.order(shop, await at.buyer(shop), PALM);
  expect(await next()).toBe("data: reviews");
});
