import { jwkThumbprint } from "@gatehouse/protocol";
import { beforeAll, describe, expect, test } from "vitest";
import {
  answerOf,
  cleanUp,
  createSite,
  freshEnvironment,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { selling } from "../selling/selling.ts";
import { schemaFaults, schemasThere } from "./schemas.ts";

const BUSINESS = "profile.json#/$defs/business_schema";
const OFFERED = [
  "catalog.search",
  "catalog.lookup",
  "cart",
  "checkout",
  "fulfillment",
  "order",
].map((name) => `dev.ucp.shopping.${name}`);
const why = schemasThere ? "" : " (UCP's schemas are not here: skipped)";

describe.each(TIER_DATABASES)("a shop's profile for platforms, on %s,", (dialect) => {
  let server: TestServer;
  let at: ReturnType<typeof selling>;
  beforeAll(async () => {
    server = await startServer(await freshEnvironment(dialect));
    at = selling(server);
    return cleanUp;
  });
  const profile = async ({ site_key_hash }: Pick<Shop, "site_key_hash">) =>
    answerOf(await fetch(`${server.url}/v1/ucp/${site_key_hash}/profile`));

  test("says what it offers, where, and by which key its answers are signed", async () => {
    const shop = await at.shop();
    const { status, body, headers } = await profile(shop);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(headers.get("cache-control")).toBe("public, max-age=60");
    expect(headers.get("access-control-allow-origin")).toBe("*");
    expect(body.ucp.version).toBe("2026-08-25");
    expect(Object.keys(body.ucp.capabilities)).toEqual(OFFERED);
    expect(body.ucp.payment_handlers).toEqual({
      "dev.gatehouse.sandbox": [
        { id: "sandbox", version: "2026-11-01", config: { environment: "TEST" } },
      ],
    });
    const [service] = body.ucp.services["dev.ucp.shopping"];
    const endpoint = `${server.context.config.baseUrl}/v1/ucp/${shop.site_key_hash}`;
    expect(service).toMatchObject({ version: "2026-08-25", transport: "rest", endpoint });
    const [key, ...others] = body.keys;
    expect(others).toEqual([]);
    expect(key).toMatchObject({ kty: "EC", crv: "P-256", alg: "ES256", use: "sig" });
    expect(key.kid).toBe(await jwkThumbprint(key));
    expect(key.d).toBeUndefined();
  });

  test.skipIf(!schemasThere)(
    `is valid by UCP's schema, with open or closed gates${why}`,
    async ({ task }) => {
      const shop = await at.shop();
      expect(schemaFaults(BUSINESS, (await profile(shop)).body)).toEqual([]);
      await shop.admin("DELETE", "/processor");
      expect(schemaFaults(BUSINESS, (await profile(shop)).body)).toEqual([]);
      expect(schemaFaults(BUSINESS, { ucp: { version: "1" } })).not.toEqual([]);
      Object.assign(task.meta, { outside: 2 });
    },
  );

  test("keeps its key, whoever asks first and however many ask at once", async () => {
    const shop = await at.shop();
    const asked = await Promise.all(Array.from({ length: 8 }, () => profile(shop)));
    const other = await profile(await at.shop());
    const kids = asked.map(({ body }) => body.keys[0].kid);
    expect(new Set(kids).size).toBe(1);
    expect(other.body.keys[0].kid).not.toBe(kids[0]);
    const again = await fetch(`${server.url}/v1/ucp/${shop.site_key_hash}/profile`, {
      headers: { "if-none-match": asked[0]?.headers.get("etag") ?? "" },
    });
    expect(again.status).toBe(304);
  });

  test("offers nothing while a gate is closed, but is still served", async () => {
    const shop = await at.shop();
    await shop.admin("PUT", "/processor", { kind: "sandbox", rail_on: false, settles: true });
    const { status, body } = await profile(shop);
    expect([status, body.ucp.capabilities, body.ucp.payment_handlers]).toEqual([200, {}, {}]);
  });

  test("does not exist for an unknown site, and is pending for one that is not verified", async () => {
    expect((await profile({ site_key_hash: "A".repeat(43) })).status).toBe(404);
    const unproven = await createSite(server, "unproven.example.com", false);
    const { status, body } = await profile(unproven);
    expect([status, body.status]).toEqual([404, "pending_verification"]);
    // The key names no profile: only the hash does.
    const shop = await at.shop();
    expect((await profile({ site_key_hash: shop.site_key })).status).toBe(404);
  });

  test("is deleted with its site, and so is its key", async () => {
    const shop = await at.shop();
    await profile(shop);
    await shop.admin("DELETE", "");
    const { db } = server.context;
    const sql = "SELECT * FROM site_signing_keys WHERE site_key_hash = ?";
    expect(await db.all(sql, shop.site_key_hash)).toEqual([]);
  });
});
