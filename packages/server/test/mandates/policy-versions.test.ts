import { canonicalize, type JsonObject, sha256, toHex, utf8 } from "@gatehouse/protocol";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import { POLICY, type Shop, submitting } from "./submitting.ts";

const MINUTE_MS = 60_000;

describe.each(TIER_DATABASES)("the versions of a policy, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let shop: Shop;
  beforeAll(async () => {
    server = await startServer(await freshEnvironment(dialect), { clock });
    return cleanUp;
  });
  beforeEach(async () => {
    shop = await submitting(server).shop(null);
  });

  const zoned = (timezone: string): JsonObject => ({ ...POLICY, timezone });
  /** Publishes one version a minute; what each was answered with. */
  async function publish(...zones: string[]) {
    const published = [];
    for (const zone of zones) {
      clock.advance(MINUTE_MS);
      const { findings: _, ...policy } = (await shop.admin("PUT", "/policy", zoned(zone))).body;
      published.push(policy);
    }
    return published;
  }

  test("are listed newest first, page by page, without their documents", async () => {
    expect((await shop.admin("GET", "/policy/versions")).body).toEqual({ items: [] });
    const published = await publish("UTC", "Asia/Tokyo", "Europe/Berlin");
    const items = published.map(({ document: _, ...item }) => item).reverse();
    expect(items.map(({ version }) => version)).toEqual([3, 2, 1]);
    expect((await shop.admin("GET", "/policy/versions")).body).toEqual({ items });
    const first = (await shop.admin("GET", "/policy/versions?limit=2")).body;
    expect(first.items).toEqual(items.slice(0, 2));
    const next = `/policy/versions?limit=2&cursor=${first.next_cursor}`;
    expect((await shop.admin("GET", next)).body).toEqual({ items: items.slice(2) });
    const wrong = await shop.admin("GET", "/policy/versions?cursor=-1");
    expect([wrong.status, wrong.body.error]).toEqual([400, "invalid_request"]);
  });

  test("are shown as they were published, with the digest that records name", async () => {
    const published = await publish("UTC", "Asia/Tokyo");
    for (const policy of published) {
      const { status, body } = await shop.admin("GET", `/policy/versions/${policy.version}`);
      expect([status, body]).toEqual([200, policy]);
      expect(body.digest).toBe(toHex(await sha256(utf8(canonicalize(body.document)))));
    }
    expect(published.map(({ document }) => document.timezone)).toEqual(["UTC", "Asia/Tokyo"]);
    for (const version of ["3", "0", "-1", "1e0", "1.0", "01", "x", "9".repeat(16)]) {
      const { status } = await shop.admin("GET", `/policy/versions/${version}`);
      expect([version, status]).toEqual([version, 404]);
    }
  });

  test("are shown to everyone who may read the site, and only those of that site", async () => {
    await publish("UTC");
    const other = await submitting(server).shop(null, "other.example.com");
    expect((await other.admin("GET", "/policy/versions")).body.items).toEqual([]);
    expect((await other.admin("GET", "/policy/versions/1")).status).toBe(404);
    const tokenOf = async (site: Shop) => {
      const asked = { role: "auditor", name: "a", sites: [site.site_key_hash] };
      return (await server.admin("POST", "/v1/admin/tokens", asked)).body.token;
    };
    const at = `/v1/admin/sites/${shop.site_key_hash}/policy/versions`;
    for (const [site, status] of [
      [shop, 200],
      [other, 404],
    ] as const) {
      const token = await tokenOf(site);
      const answers = [at, `${at}/1`].map((path) => server.admin("GET", path, undefined, token));
      expect((await Promise.all(answers)).map((answer) => answer.status)).toEqual([status, status]);
    }
  });
});
