import { beforeAll, describe, expect, test } from "vitest";
import { alignHours } from "../../src/actions/sites/set-shop.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import {
  answerOf,
  cleanUp,
  createSite,
  DATABASES,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
} from "../harness.ts";

const PATH = "/v1/discovery/ingest";
const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

const beaconOf = (site_key: string, fields: Record<string, unknown> = {}) => ({
  schema_version: "1",
  site_key,
  observed_at: new Date(NOON).toISOString(),
  identification: { user_agent: FIREFOX },
  page_context: { url: "https://shop.example.com/prices" },
  ...fields,
});

const sending =
  (server: TestServer) =>
  async (body: unknown, headers: Record<string, string> = {}) =>
    answerOf(
      await fetch(server.url + PATH, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
    );

describe.each(DATABASES)("page-load beacons, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let send: ReturnType<typeof sending>;
  // biome-ignore lint/suspicious/noExplicitAny: what the admin interface answers
  let site: any;
  const visits = async (query = "") =>
    (await server.admin("GET", `/v1/admin/sites/${site.site_key_hash}/visits${query}`)).body;
  beforeAll(async () => {
    server = await startServer(await freshEnvironment(dialect), { clock });
    send = sending(server);
    return cleanUp;
  });
  const fresh = async (verified = true) => {
    site = await createSite(server, "shop.example.com", verified);
  };

  test("are answered 204, become visits at once, and say who visited", async () => {
    await fresh();
    const callers = [
      [{ user_agent: FIREFOX }, "person"],
      [{ user_agent: `${FIREFOX} GPTBot/1.2` }, "declared_agent"],
      [{ user_agent: FIREFOX, automation: { webdriver: true } }, "suspected_automation"],
      [{ user_agent: "curl/8.5.0" }, "suspected_automation"],
      [{ user_agent: "MyGPTBotHunter/1" }, "suspected_automation"],
      [{ user_agent: "Mozilla/5.0 (Linux; Android 12; CUBOT NOTE 20) Chrome/140" }, "person"],
      [{ user_agent: "Mozilla/5.0 (compatible; SomeBot/2.0)" }, "suspected_automation"],
      [{}, "suspected_automation"],
    ] as const;
    for (const [identification] of callers) {
      const { status, body, headers } = await send(beaconOf(site.site_key, { identification }));
      expect([status, body, headers.get("access-control-allow-origin")]).toEqual([204, "", "*"]);
      clock.advance(1);
    }
    const { items } = await visits();
    const kinds = items.map(({ classification }: { classification: string }) => classification);
    expect(kinds.sort()).toEqual(callers.map(([, kind]) => kind).sort());
    const [declared] = (await visits("?agent=GPTBot")).items;
    expect(declared).toMatchObject({
      agent: { name: "GPTBot", operator: "OpenAI" },
      page_url: "https://shop.example.com/prices",
      observed_at: new Date(NOON).toISOString(),
      source: "beacon",
    });
  });

  test("never count as a verified agent, whatever they claim", async () => {
    await fresh();
    const claims = { signature: { outcome: "verified" }, classification: "verified_agent" };
    const identification = { user_agent: FIREFOX, ...claims, signals: claims };
    expect((await send(beaconOf(site.site_key, { ...claims, identification }))).status).toBe(204);
    const [visit] = (await visits()).items;
    expect([visit.classification, visit.signature]).toEqual(["person", undefined]);
  });

  test("lose their query and fragment, and pages of another host are stored apart and not counted", async () => {
    await fresh();
    const page = (url: string) => send(beaconOf(site.site_key, { page_context: { url } }));
    for (const url of [
      "https://shop.example.com/a?mail=me@example.com#secret",
      "https://www.shop.example.com/b",
      "https://evil.example.net/c?x=y",
      "https://notshop.example.com/d",
    ]) {
      expect((await page(url)).status).toBe(204);
      clock.advance(1);
    }
    const { items } = await visits();
    type Seen = { page_url: string; off_site: boolean };
    const seen = items.map(({ page_url, off_site }: Seen) => `${page_url} ${off_site}`).sort();
    expect(seen).toEqual([
      "https://evil.example.net/c true",
      "https://notshop.example.com/d true",
      "https://shop.example.com/a false",
      "https://www.shop.example.com/b false",
    ]);
    const counted = await server.admin(
      "GET",
      `/v1/admin/sites/${site.site_key_hash}/visits/counts?by=hour`,
    );
    expect(counted.body.items).toEqual([
      {
        start: new Date(NOON).toISOString(),
        visits: 2,
        by_classification: {
          verified_agent: 0,
          declared_agent: 0,
          suspected_automation: 0,
          person: 2,
        },
        by_agent: {},
      },
    ]);
    // Pages of people are not counted.
    expect(counted.body.pages).toEqual([]);
  });

  test("are counted in hours of the shop's time zone from when it is set, so that its days are exact", async () => {
    await fresh();
    const path = `/v1/admin/sites/${site.site_key_hash}`;
    const setZone = async (time_zone: string | null) => {
      const { body: shop } = await server.admin("GET", `${path}/shop`);
      const changed = await server.admin("PUT", `${path}/shop`, { ...shop, time_zone });
      expect(changed.status).toBe(200);
    };
    const visitAt = async (...minutes: readonly number[]) => {
      for (const minute of minutes) {
        const observed_at = new Date(NOON + minute * 60_000).toISOString();
        expect((await send(beaconOf(site.site_key, { observed_at }))).status).toBe(204);
      }
    };
    type Counted = { start: string; visits: number };
    const counts = async (query: string) =>
      (await server.admin("GET", `${path}/visits/counts?${query}`)).body.items.map(
        ({ start, visits }: Counted) => [(Date.parse(start) - NOON) / 60_000, visits],
      );
    await visitAt(20);
    await setZone("Asia/Kolkata");
    await visitAt(29, 30, 89);
    await setZone("Asia/Kathmandu");
    await visitAt(74, 75);
    await setZone("Europe/Berlin");
    await visitAt(119);
    expect(await counts("by=hour")).toEqual([
      [-30, 1],
      [0, 1],
      [15, 1],
      [30, 2],
      [60, 1],
      [75, 1],
    ]);
    const from = (minute: number) => `from=${new Date(NOON + minute * 60_000).toISOString()}`;
    expect(await counts(`by=hour&${from(75)}`)).toEqual([
      [30, 2],
      [60, 1],
      [75, 1],
    ]);
    expect(await counts("by=day")).toEqual([[-12 * 60, 7]]);
  });

  test("are counted in hours of a time zone that was set before hours had a start", async () => {
    await fresh();
    const path = `/v1/admin/sites/${site.site_key_hash}`;
    const { body: shop } = await server.admin("GET", `${path}/shop`);
    await server.admin("PUT", `${path}/shop`, { ...shop, time_zone: "Asia/Kolkata" });
    const { context } = server;
    const start = "SELECT hour_start_minute, version FROM sites WHERE site_key_hash = ?";
    const stored = () => context.db.get(start, site.site_key_hash);
    const before = await stored();
    await context.db.run("UPDATE sites SET hour_start_minute = 0");
    await alignHours(context, () => true);
    expect(await stored()).toEqual({ ...(before as object), hour_start_minute: 0 });
    await alignHours(context, () => false);
    await alignHours(context, () => false);
    const { version } = before as { version: number };
    expect(await stored()).toEqual({ hour_start_minute: 30, version: version + 1 });
    expect((await send(beaconOf(site.site_key, {}))).status).toBe(204);
    const { items } = (await server.admin("GET", `${path}/visits/counts?by=hour`)).body;
    expect(items[0].start).toMatch(/:30:00/);
  });

  test("with a clock more than a day off get the time of arrival", async () => {
    await fresh();
    const now = clock.now();
    for (const off of [-86_400_001, -86_400_000, 86_400_000, 86_400_001]) {
      await send(beaconOf(site.site_key, { observed_at: new Date(now + off).toISOString() }));
    }
    type Seen = { observed_at: string };
    const seen = (await visits()).items.map(
      ({ observed_at }: Seen) => Date.parse(observed_at) - now,
    );
    expect(seen.sort((a: number, b: number) => a - b)).toEqual([-86_400_000, 0, 0, 86_400_000]);
  });

  test.each([
    ["a body that is not JSON", "{", 400],
    ["a duplicate key", '{"site_key":"a","site_key":"b"}', 400],
    ["another version", { schema_version: "2" }, 400],
    ["a number as the version", { schema_version: 1 }, 400],
    ["no time", { observed_at: undefined }, 400],
    ["a local time", { observed_at: "2030-05-17T12:00:00+02:00" }, 400],
    ["no identification", { identification: undefined }, 400],
    ["a list of pages", { page_context: [] }, 400],
    ["an address that is not a page", { page_context: { url: "javascript:alert(1)" } }, 400],
    ["a relative address", { page_context: { url: "/prices" } }, 400],
    [
      "a long address",
      { page_context: { url: `https://shop.example.com/${"a".repeat(2048)}` } },
      400,
    ],
    ["an unknown site", { site_key: `us_${"A".repeat(43)}` }, 404],
    ["no site", { site_key: 5 }, 400],
    ["more than 16 KB", { extra: "a".repeat(17_000) }, 413],
  ])("are refused with %s", async (_name, change, status) => {
    await fresh();
    const body = typeof change === "string" ? change : beaconOf(site.site_key, change);
    const answer = await send(body);
    expect([answer.status, typeof answer.body.error]).toEqual([status, "string"]);
    expect((await visits()).items).toEqual([]);
  });

  test("are refused with another type or a hash instead of the key, and accepted for an unverified site", async () => {
    await fresh(false);
    const body = JSON.stringify(beaconOf(site.site_key));
    expect((await send(body, { "content-type": "text/plain" })).status).toBe(415);
    expect((await send(body, { "content-encoding": "gzip" })).status).toBe(415);
    expect((await send(beaconOf(site.site_key_hash))).status).toBe(404);
    expect((await send(body)).status).toBe(204);
    expect((await visits()).items).toHaveLength(1);
  });

  test("are listed page by page, newest first, and filtered", async () => {
    await fresh();
    const start = clock.now();
    for (let i = 0; i < 5; i++) {
      const observed_at = new Date(start + i * 1000).toISOString();
      await send(beaconOf(site.site_key, { observed_at }));
    }
    const times: string[] = [];
    for (let cursor = ""; ; ) {
      const { items, next_cursor } = await visits(`?limit=2${cursor}`);
      times.push(...items.map(({ observed_at }: { observed_at: string }) => observed_at));
      if (next_cursor === undefined) break;
      cursor = `&cursor=${next_cursor}`;
    }
    const all = [4, 3, 2, 1, 0].map((i) => new Date(start + i * 1000).toISOString());
    expect(times).toEqual(all);
    const some = await visits(`?from=${all[3]}&to=${all[1]}`);
    expect(some.items.map(({ observed_at }: { observed_at: string }) => observed_at)).toEqual(
      all.slice(2, 4),
    );
    expect((await visits("?classification=declared_agent")).items).toEqual([]);
  });

  test("are deleted with their site and after 90 days, and their counts stay longer", async () => {
    await fresh();
    await send(beaconOf(site.site_key));
    const { db } = server.context;
    const rows = async (table: string) => {
      const sql = `SELECT COUNT(*) AS n FROM ${table} WHERE site_key_hash = ?`;
      return Number((await db.get<{ n: number }>(sql, site.site_key_hash))?.n);
    };
    const { deleteExpiredVisits } = await import(
      "../../src/actions/visits/delete-expired-visits.ts"
    );
    const later = { ...server.context, clock: new ManualClock(NOON + 91 * 86_400_000) };
    await deleteExpiredVisits(server.context, () => false);
    expect([await rows("visits"), await rows("visit_hours")]).toEqual([1, 1]);
    await deleteExpiredVisits(later, () => false);
    expect([await rows("visits"), await rows("visit_hours")]).toEqual([0, 1]);
    await server.admin("DELETE", `/v1/admin/sites/${site.site_key_hash}`);
    expect(await rows("visit_hours")).toBe(0);
  });
});

test("a site with too many beacons in a minute refuses the rest, and says how long to wait", async () => {
  const clock = new ManualClock(NOON);
  const env = {
    ...(await freshEnvironment("sqlite")),
    GATEHOUSE_BEACONS_PER_SITE_PER_MINUTE: "10",
  };
  const server = await startServer(env, { clock });
  const site = await createSite(server, "shop.example.com");
  const send = sending(server);
  // The last three of ten are kept for visitors from elsewhere.
  for (let i = 0; i < 7; i++) expect((await send(beaconOf(site.site_key))).status).toBe(204);
  const refused = await send(beaconOf(site.site_key));
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
  clock.advance(60_000 + 30_000);
  expect((await send(beaconOf(site.site_key))).status).toBe(204);
});
