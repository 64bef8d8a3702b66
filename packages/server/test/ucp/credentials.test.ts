import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../src/infra/time.ts";
import { newKey } from "../agents/registering.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { NOON, type TestAnswer, TIER_DATABASES } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { type BuyOptions, openWorld, paying, ROSE, told, type World } from "./buying.ts";
import { admit, byKey, byToken, makeCredential, tokenOf } from "./credentialed.ts";

const OTHER = "agents.platform.example";
const HERE = "127.0.0.1";

describe.each(TIER_DATABASES)("a platform with a credential of a shop, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, platform, at } = {} as World;
  let shop: Shop;
  beforeAll(async () => {
    const world = await openWorld(dialect, clock, { GATEHOUSE_FETCH_ALLOW: `${HERE},${OTHER}` });
    ({ server, platform, at } = world);
    return world.close;
  });
  beforeEach(async () => {
    clock.advance(2 * MINUTE_MS);
    shop = await at.shop();
    await admit(shop, HERE);
    await shop.admin("PATCH", "/platform-settings", { platforms: "admitted" });
  });

  const refused = ({ status, body }: TestAnswer) => [status, body.code];
  const UNAUTHORIZED = [401, "unauthorized"];
  const search = (options: BuyOptions) =>
    at.call(shop, "/catalog/search", { query: "red" }, options);

  async function buy(options: BuyOptions) {
    const made = await at.create(shop, ROSE, options);
    expect(told(made)).toEqual([201, "ready_for_complete"]);
    const done = await at.complete(shop, made.body.id, paying(), options);
    expect(told(done)).toEqual([200, "completed"]);
    return done.body.order.id as string;
  }
  const proofs = async () =>
    (await at.records(shop, "checkout.decision")).map(
      ({ record }: { record: { agent: object } }) => record.agent,
    );

  test("buys with an API key as the admitted platform, and the record says how it was proven", async () => {
    const { secret } = await makeCredential(shop, HERE, "api_key");
    const orderId = await buy(byKey(secret));
    expect(await proofs()).toEqual([{ id: platform.profileUrl(), proof: "api_key" }]);
    expect((await at.readOrder(shop, orderId, byKey(secret))).body.id).toBe(orderId);
    const [listed] = (await shop.admin("GET", "/platforms")).body.items;
    expect(listed).toMatchObject({ platform: HERE, status: "admitted", recent_decisions: 1 });
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  });

  test("buys with an access token, and the record says so", async () => {
    const client = await makeCredential(shop, HERE, "oauth_client");
    const options = byToken(await tokenOf(server, shop, client));
    const orderId = await buy(options);
    expect(await proofs()).toEqual([{ id: platform.profileUrl(), proof: "oauth" }]);
    expect((await at.readOrder(shop, orderId, options)).body.id).toBe(orderId);
  });

  test("leaves records of a signature as such", async () => {
    await buy({});
    expect(await proofs()).toEqual([{ id: platform.profileUrl(), proof: "signature" }]);
  });

  test("is refused with a wrong credential, and never counts as unsigned", async () => {
    await shop.admin("PUT", "/shop", { allow_unsigned: true });
    const { secret } = await makeCredential(shop, HERE, "api_key");
    const client = await makeCredential(shop, HERE, "oauth_client");
    const token = await tokenOf(server, shop, client);
    const wrong = [
      byKey(""),
      byKey("ghk_nobody"),
      byKey(`${secret}x`),
      byKey(client.secret),
      byKey(token),
      byKey("x".repeat(5000)),
      byToken(secret),
      byToken(client.secret),
      byToken(`${token}x`),
      byToken(token.replace(/\.\d+\./, ".9999999999.")),
      { sign: false, headers: { authorization: "Bearer" } },
    ];
    for (const options of wrong) {
      expect([options, refused(await search(options))]).toEqual([options, UNAUTHORIZED]);
      clock.advance(MINUTE_MS);
    }
    const both = {
      sign: false,
      headers: { "x-api-key": secret, authorization: `Bearer ${token}` },
    };
    expect(refused(await search(both))).toEqual([400, "invalid_request"]);
    expect((await search({ sign: false })).status).toBe(200);
  });

  test("is refused where a signature beside a good key does not hold", async () => {
    const { secret } = await makeCredential(shop, HERE, "api_key");
    const headers = { "x-api-key": secret };
    expect((await search({ sign: true, headers })).status).toBe(200);
    const stale = { sign: true, created: clock.now() - HOUR_MS, headers };
    expect(refused(await search(stale))).toEqual([401, "signature_invalid"]);
  });

  test("is refused with a key of another site, of another platform, or for another profile", async () => {
    const other = await at.shop();
    await admit(other, HERE);
    await admit(shop, OTHER);
    const ofOtherSite = await makeCredential(other, HERE, "api_key");
    const ofOther = await makeCredential(shop, OTHER, "api_key");
    const own = await makeCredential(shop, HERE, "api_key");
    const profile = `http://${OTHER}:${platform.host.split(":")[1]}/p`;
    expect(refused(await search(byKey(ofOtherSite.secret)))).toEqual(UNAUTHORIZED);
    expect(refused(await search(byKey(ofOther.secret)))).toEqual(UNAUTHORIZED);
    expect(refused(await search(byKey(own.secret, { profile })))).toEqual(UNAUTHORIZED);
    expect((await search(byKey(ofOther.secret, { profile }))).status).toBe(200);
    const client = await makeCredential(other, HERE, "oauth_client");
    const token = await tokenOf(server, other, client);
    expect(refused(await search(byToken(token)))).toEqual(UNAUTHORIZED);
  });

  test("is refused once the key is revoked, with every token of a revoked client, at once", async () => {
    const key = await makeCredential(shop, HERE, "api_key");
    const client = await makeCredential(shop, HERE, "oauth_client");
    const token = await tokenOf(server, shop, client);
    expect((await search(byKey(key.secret))).status).toBe(200);
    expect((await search(byToken(token))).status).toBe(200);
    for (const { credential_id } of [key, client]) {
      const path = `/platforms/${HERE}/credentials/${credential_id}`;
      expect((await shop.admin("DELETE", path)).status).toBe(204);
    }
    expect(refused(await search(byKey(key.secret)))).toEqual(UNAUTHORIZED);
    expect(refused(await search(byToken(token)))).toEqual(UNAUTHORIZED);
  });

  test("is refused once the key or the token has expired", async () => {
    const key = await makeCredential(shop, HERE, "api_key", { expires_in_days: 1 });
    const client = await makeCredential(shop, HERE, "oauth_client");
    const token = await tokenOf(server, shop, client);
    clock.advance(HOUR_MS - 1000);
    expect((await search(byToken(token))).status).toBe(200);
    clock.advance(1000);
    expect(refused(await search(byToken(token)))).toEqual(UNAUTHORIZED);
    clock.advance(DAY_MS - HOUR_MS - 1);
    expect((await search(byKey(key.secret))).status).toBe(200);
    clock.advance(1);
    expect(refused(await search(byKey(key.secret)))).toEqual(UNAUTHORIZED);
  });

  test("is refused while it is suspended, and after it was removed from the list", async () => {
    const { secret } = await makeCredential(shop, HERE, "api_key");
    const client = await makeCredential(shop, HERE, "oauth_client");
    const token = await tokenOf(server, shop, client);
    const answers = async () => [
      (await search(byKey(secret))).status,
      (await search(byToken(token))).status,
    ];
    await admit(shop, HERE, "suspended");
    expect(await answers()).toEqual([401, 401]);
    clock.advance(MINUTE_MS);
    await admit(shop, HERE);
    expect(await answers()).toEqual([200, 200]);
    expect((await shop.admin("DELETE", `/platforms/${HERE}`)).status).toBe(204);
    await admit(shop, HERE);
    expect(await answers()).toEqual([401, 401]);
  });

  test("continues a checkout, cart or order only with the kind of proof that it began with", async () => {
    const { secret } = await makeCredential(shop, HERE, "api_key");
    const client = await makeCredential(shop, HERE, "oauth_client");
    const kinds: Record<string, BuyOptions> = {
      signature: {},
      api_key: byKey(secret),
      oauth: byToken(await tokenOf(server, shop, client)),
    };
    for (const [begun, first] of Object.entries(kinds)) {
      const { id } = (await at.create(shop, ROSE, first)).body;
      const cart = (await at.call(shop, "/carts", ROSE, first)).body.id;
      const order = await buy(first);
      for (const [continued, next] of Object.entries(kinds)) {
        const read = [
          (await at.get(shop, id, next)).body.id,
          (await at.call(shop, `/carts/${cart}`, undefined, { ...next, method: "GET" })).body.id,
          (await at.readOrder(shop, order, next)).body.id,
        ];
        const wanted = begun === continued ? [id, cart, order] : [undefined, undefined, undefined];
        expect([begun, continued, read]).toEqual([begun, continued, wanted]);
        if (begun === continued) continue;
        expect(told(await at.complete(shop, id, paying(), next))).toEqual([
          200,
          "error",
          "not_found",
        ]);
      }
    }
  });

  test("is shown to the owner with when its key was used last, to the hour", async () => {
    const { secret } = await makeCredential(shop, HERE, "api_key");
    const path = `/platforms/${HERE}/credentials`;
    const lastUsed = async () => (await shop.admin("GET", path)).body.items[0].last_used_at;
    expect(await lastUsed()).toBeNull();
    const first = clock.now();
    await search(byKey(secret));
    clock.advance(HOUR_MS - 1);
    await search(byKey(secret));
    expect(await lastUsed()).toBe(new Date(first).toISOString());
    clock.advance(1);
    await search(byKey(secret));
    expect(await lastUsed()).toBe(new Date(first + HOUR_MS).toISOString());
  });

  test("takes over with its key what it began without any proof", async () => {
    const { secret } = await makeCredential(shop, HERE, "api_key");
    const { id } = (await at.create(shop, ROSE, { sign: false })).body;
    expect(told(await at.complete(shop, id, paying(), byKey(secret)))).toEqual([
      200,
      "ready_for_complete",
      "quote_changed",
    ]);
    expect(told(await at.complete(shop, id, paying(), {}))).toEqual([200, "error", "not_found"]);
    expect(told(await at.complete(shop, id, paying(), byKey(secret)))).toEqual([200, "completed"]);
  });

  test("gets the stored answer to a repeated call only with the same kind of proof", async () => {
    const { secret } = await makeCredential(shop, HERE, "api_key");
    const key = "one-key-for-both";
    const first = await at.create(shop, ROSE, byKey(secret, { key }));
    const again = await at.create(shop, ROSE, byKey(secret, { key }));
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(again.body.id).toBe(first.body.id);
    const signed = await at.create(shop, ROSE, { key });
    expect(signed.body.id).not.toBe(first.body.id);
  });

  test("cannot pay with its key or token over MCP, and reads no order there", async () => {
    const { secret } = await makeCredential(shop, HERE, "api_key");
    const client = await makeCredential(shop, HERE, "oauth_client");
    const order = await buy(byKey(secret));
    const all = [byKey(secret).headers, byToken(await tokenOf(server, shop, client)).headers];
    for (const [n, headers] of all.entries()) {
      const meta = (key: string) => ({
        "ucp-agent": { profile: platform.profileUrl() },
        "idempotency-key": `${key}-${n}`,
      });
      const call = (tool: string, args: object) =>
        at.callTool(shop, args, undefined, tool, headers);
      const made = await call("create_checkout", { meta: meta("make"), checkout: ROSE });
      const { id } = made.result.structuredContent;
      const done = await call("complete_checkout", { meta: meta("pay"), id, checkout: paying() });
      expect(done.result.structuredContent.status).toBe("requires_escalation");
      const read = await call("get_order", { meta: meta("read"), id: order });
      expect(JSON.stringify(read)).toContain("signature_missing");
      expect(JSON.stringify(read)).not.toContain("line_items");
    }
    expect(await at.orders(shop)).toHaveLength(1);
  });

  test("gains nothing by its key at the mandate endpoint", async () => {
    const { secret } = await makeCredential(shop, HERE, "api_key");
    const stranger = { agentId: `agt_${"0".repeat(24)}`, key: await newKey() };
    const mandate = await at.signed(shop, stranger);
    const answers = [
      await at.send(shop, mandate),
      await at.send(shop, mandate, byKey(secret).headers),
    ];
    expect(answers.map(({ status, body }) => [status, body.reason])).toEqual([
      [401, "identity_check_failed"],
      [401, "identity_check_failed"],
    ]);
    expect(await at.orders(shop)).toEqual([]);
  });
});
