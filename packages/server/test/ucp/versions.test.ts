import { randomUUID } from "node:crypto";
import type { JsonObject } from "@gatehouse/protocol";
import { UCP_VERSIONS } from "@gatehouse/protocol";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deliverMessages } from "../../src/actions/notifications/deliver-messages.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { NOON } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { lines, openWorld, paying, ROSE, type World } from "./buying.ts";
import { isShopsNews, isSigned } from "./platform.ts";
import { requestFaults, schemaFaults, schemasThere } from "./schemas.ts";

const BUSINESS = {
  "2026-08-25": "profile.json#/$defs/business_schema",
  "2026-04-08": "../discovery/profile_schema.json#/$defs/business_profile",
};

const clock = new ManualClock(NOON);
let { server, platform, at } = {} as World;
let shop: Shop;
beforeAll(async () => {
  const world = await openWorld("sqlite", clock);
  ({ server, platform, at } = world);
  return world.close;
});
beforeEach(async () => {
  clock.advance(61_000);
  shop = await at.shop();
});

const profileAt = async (path = "") => {
  const response = await fetch(`${server.url}/v1/ucp/${shop.site_key_hash}/profile${path}`);
  return (await response.json()) as JsonObject & { ucp: JsonObject; keys: never };
};

describe.each(UCP_VERSIONS)("a platform of version %s", (version) => {
  beforeEach(() => platform.speaks(version));

  test("buys by calls and answers that are valid in its version, and hears of the order in it", async ({
    task,
  }) => {
    const schema = "shopping/fulfillment.json#/$defs/dev.ucp.shopping.checkout";
    const plain = lines(["rose", 1]);
    expect(requestFaults("shopping/checkout.json", "create", plain, version)).toEqual([]);
    const search = await at.call(shop, "/catalog/search", { query: "red" });
    expect(
      schemaFaults("shopping/catalog_search.json#/$defs/search_response", search.body),
    ).toEqual([]);
    const cart = await at.call(shop, "/carts", plain);
    expect(schemaFaults("shopping/cart.json", cart.body)).toEqual([]);
    const made = await at.create(shop, ROSE);
    const [method] = made.body.fulfillment.methods;
    const groups = [{ id: method.groups[0].id, selected_option_id: "express" }];
    const { id, type, line_item_ids } = method;
    const methods = [{ id, type, line_item_ids, groups }];
    const update = { ...lines(["rose", 2]), buyer: ROSE.buyer, fulfillment: { methods } };
    expect(requestFaults(schema, "update", update, version)).toEqual([]);
    const changed = await at.update(shop, made.body.id, update);
    const done = await at.complete(shop, made.body.id, paying());
    const order = await at.readOrder(shop, done.body.order.id);
    const answers = [search, cart, made, changed, done, order];
    const profile = await profileAt();
    for (const answer of answers) {
      expect(answer.body.ucp.version).toBe(version);
      expect(await isSigned(profile, answer, clock.now())).toBe(true);
    }
    expect(done.body.status).toBe("completed");
    await deliverMessages(server.context);
    const [news] = platform.news.splice(0);
    expect(news && (await isShopsNews(profile, news))).toBe(true);
    expect(JSON.parse(news?.body ?? "")).toEqual(order.body);
    Object.assign(task.meta, { outside: schemasThere ? answers.length : 0 });
  });

  test("gets errors, and the tools of the shop, in its version", async () => {
    const none = await at.call(shop, "/checkout-sessions/chk_none", undefined, { method: "GET" });
    expect(none.body.ucp).toEqual({ version, status: "error" });
    const meta = { "ucp-agent": { profile: platform.profileUrl() } };
    const cart = { meta: { ...meta, "idempotency-key": randomUUID() }, cart: lines(["rose", 1]) };
    const { result } = await at.callTool(shop, cart, undefined, "create_cart");
    expect(result.structuredContent.ucp.version).toBe(version);
    expect(schemaFaults("shopping/cart.json", result.structuredContent)).toEqual([]);
  });

  test("is warned of claims that the shop does not accept, and buys all the same", async () => {
    const context = { eligibility: ["com.example.loyalty_gold", "org.school.student"] };
    const warnings = context.eligibility.map((claim) => ({
      type: "warning",
      code: "eligibility_not_accepted",
      content: `The shop does not accept this claim: ${claim}`,
    }));
    const plain = { ...lines(["rose", 1]), context };
    expect(requestFaults("shopping/checkout.json", "create", plain, version)).toEqual([]);
    const cart = await at.call(shop, "/carts", plain);
    const changed = await at.call(shop, `/carts/${cart.body.id}`, plain, { method: "PUT" });
    const meta = { "ucp-agent": { profile: platform.profileUrl() } };
    const args = { meta: { ...meta, "idempotency-key": randomUUID() }, cart: plain };
    const { result } = await at.callTool(shop, args, undefined, "create_cart");
    for (const body of [cart.body, changed.body, result.structuredContent]) {
      expect(body.messages).toEqual(warnings);
      expect(schemaFaults("shopping/cart.json", body)).toEqual([]);
    }
    const made = await at.create(shop, { ...ROSE, context });
    const updated = await at.update(shop, made.body.id, { ...ROSE, context });
    for (const { body } of [made, updated]) {
      expect([body.status, body.messages]).toEqual(["ready_for_complete", warnings]);
    }
    const done = await at.complete(shop, made.body.id);
    expect([done.body.status, done.body.messages]).toEqual(["completed", undefined]);
    // The next test receives only the webhooks of its own order.
    await deliverMessages(server.context);
    platform.news.splice(0);
  });

  test.skipIf(!schemasThere)("finds a profile of its version, which names no others", async () => {
    const leaf = await profileAt(`/${version}`);
    expect(leaf.ucp.version).toBe(version);
    expect(leaf.ucp.supported_versions).toBeUndefined();
    expect(schemaFaults(BUSINESS[version], leaf)).toEqual([]);
    expect(leaf.signing_keys).toEqual(leaf.keys);
    const entries = Object.values(leaf.ucp.capabilities as JsonObject).flat();
    expect(new Set(entries.map((one) => (one as JsonObject).version))).toEqual(new Set([version]));
    expect(JSON.stringify(entries)).toContain(`https://ucp.dev/${version}/schemas/`);
  });
});

test("the profile at the root is in the version its owner chose, and names those of the others", async () => {
  const base = `${server.context.config.baseUrl}/v1/ucp/${shop.site_key_hash}/profile`;
  const root = await profileAt();
  expect(root.ucp.version).toBe("2026-08-25");
  expect(root.ucp.supported_versions).toEqual({ "2026-04-08": `${base}/2026-04-08` });
  const set = await shop.admin("PATCH", "", { ucp_version: "2026-04-08" });
  expect([set.status, set.body.ucp_version]).toEqual([200, "2026-04-08"]);
  const other = await profileAt();
  expect(other.ucp.version).toBe("2026-04-08");
  expect(other.ucp.supported_versions).toEqual({ "2026-08-25": `${base}/2026-08-25` });
  const [{ record }] = await at.records(shop, "site.changed");
  expect(record.change).toMatchObject({ fields: ["ucp_version"], ucp_version: "2026-04-08" });
});

test("a platform that changes its version goes on with its checkout, and repeats a call", async () => {
  platform.speaks("2026-08-25");
  const key = randomUUID();
  const first = await at.create(shop, ROSE, { key });
  platform.speaks("2026-04-08");
  clock.advance(61_000);
  const again = await at.create(shop, ROSE, { key });
  expect([again.body.id, again.body.ucp.version]).toEqual([first.body.id, "2026-04-08"]);
  const [method] = again.body.fulfillment.methods;
  expect(method.destinations[0].type).toBeUndefined();
  expect(method.groups[0].options[0].description).toBe("2 to 4 days");
  expect((await at.complete(shop, first.body.id)).body.status).toBe("completed");
});

test("claims that cannot be read are ignored, and of many the first ten are answered", async () => {
  platform.speaks("2026-08-25");
  clock.advance(61_000);
  const claiming = async (eligibility: unknown) => {
    const { status, body } = await at.create(shop, { ...ROSE, context: { eligibility } });
    return [status, body.messages?.length];
  };
  expect(await claiming("com.example.gold")).toEqual([201, undefined]);
  expect(await claiming([5, null, {}, "x".repeat(201)])).toEqual([201, undefined]);
  expect(await claiming(["com.example.gold", "com.example.gold"])).toEqual([201, 1]);
  const many = Array.from({ length: 50 }, (_, i) => `com.example.tier_${i}`);
  expect(await claiming(many)).toEqual([201, 10]);
});

test("an unknown version is refused, and the answer says which are spoken", async () => {
  platform.speaks("2026-01-11");
  clock.advance(61_000);
  const { status, body } = await at.create(shop, ROSE);
  expect([status, body.code]).toEqual([422, "version_unsupported"]);
  expect(body.content).toContain("2026-08-25 and 2026-04-08");
});
