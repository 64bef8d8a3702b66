import { signTagged } from "@gatehouse/protocol";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { deleteExpiredAnswers } from "../../src/domain/decisions/kept/store.ts";
import { ManualClock } from "../../src/infra/clock.ts";
import { newKey } from "../agents/registering.ts";
import { answerOf, cleanUp, createSite, DATABASES, NOON, type TestServer } from "../harness.ts";
import { cart, type Market, openMarket } from "../selling/selling.ts";
import type { Shop } from "./submitting.ts";

const DAY_MS = 86_400_000;
const PALM = { items: [{ id: "palm", quantity: 1 }], total: "600.00" };

/** What becomes of a site after it sold something. */
const FATES: readonly (readonly [string, (shop: Shop, server: TestServer) => Promise<unknown>])[] =
  [
    [
      "its domain went to another site",
      async (shop, server) => createSite(server, (await shop.admin("GET", "")).body.domain),
    ],
    ["mandates are off", (shop) => shop.admin("PATCH", "/mandates", { enabled: false })],
    ["it no longer sells", (shop) => shop.admin("DELETE", "/processor")],
    ["it was deleted", (shop) => shop.admin("DELETE", "")],
  ];

describe.each(DATABASES)("a decided mandate that is sent again, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, at, shop, buyer } = {} as Market;
  beforeAll(async () => {
    ({ server, at } = await openMarket(dialect, clock));
    return cleanUp;
  });
  beforeEach(async () => {
    clock.advance(60_000);
    ({ shop, buyer } = await at.shopAndBuyer());
  });

  /** The same order over MCP: what its mandate came to. */
  async function callAgain(mandate: object) {
    const { arguments: args } = cart();
    const { result } = await at.call(shop, { ...(args as object), mandate });
    return result?.structuredContent;
  }

  test.each(FATES)("gets its answer even if %s", async (_name, befall) => {
    const mandate = await at.signed(shop, buyer);
    const paid = await at.send(shop, mandate);
    expect([paid.status, paid.body.outcome]).toEqual([200, "approved"]);
    await befall(shop, server);
    clock.advance(3_600_000);
    const again = await at.send(shop, mandate);
    expect([again.status, again.body]).toEqual([200, paid.body]);
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await callAgain(mandate)).toEqual(paid.body);
    expect(await at.authorizations(shop)).toHaveLength(1);
  });

  test.each(FATES)("is not decided for the first time if %s", async (name, befall) => {
    await at.order(shop, buyer);
    const fresh = await at.signed(shop, buyer);
    await befall(shop, server);
    const { status, body } = await at.send(shop, fresh);
    const expected: Readonly<Record<string, readonly [number, string]>> = {
      "it no longer sells": [403, "skill_not_live"],
      "it was deleted": [404, "site_not_found"],
    };
    expect([status, body.reason]).toEqual(expected[name] ?? [403, "mandates_disabled"]);
    expect((await callAgain(fresh))?.outcome).not.toBe("approved");
    expect(await at.authorizations(shop)).toHaveLength(1);
  });

  test("gives a stranger no new answer while the domain is not verified, and records nothing", async () => {
    const mandate = await at.signed(shop, buyer);
    await at.send(shop, mandate);
    await createSite(server, (await shop.admin("GET", "")).body.domain);
    const before = (await at.records(shop)).length;
    const stranger = { agentId: buyer.agentId, key: await newKey() };
    const changed = { ...mandate, signed: { ...mandate.signed, skill: "get_pricing" } };
    for (const body of [{}, "{", changed, await at.signed(shop, stranger)]) {
      const { status, body: answer } = await at.send(shop, body);
      expect([status, answer.reason]).toEqual([403, "mandates_disabled"]);
    }
    expect(await at.records(shop)).toHaveLength(before);
  });

  test("is rejected with a revoked key, and answered with one that was rotated out", async () => {
    const mandate = await at.signed(shop, buyer);
    const paid = await at.send(shop, mandate);
    const next = await newKey();
    expect((await rotate(next)).status).toBe(201);
    clock.advance(31 * DAY_MS);
    const again = await at.send(shop, mandate);
    expect([again.status, again.body]).toEqual([200, paid.body]);
    const fresh = await at.order(shop, buyer);
    expect([fresh.status, fresh.body.reason]).toEqual([401, "identity_check_failed"]);
    await shop.admin("POST", `/agents/${buyer.agentId}/revoke`, {});
    for (const befall of [undefined, ...FATES.map(([, one]) => one)]) {
      await befall?.(shop, server);
      const revoked = await at.send(shop, mandate);
      expect([revoked.status, revoked.body.reason]).toEqual([401, "identity_check_failed"]);
    }
  });

  async function rotate(next: Awaited<ReturnType<typeof newKey>>) {
    const { site_key } = shop;
    const url = `${server.context.config.baseUrl}/v1/m/${site_key}/agents/${buyer.agentId}/keys`;
    const now = clock.now();
    const signed = {
      v: 1,
      type: "key_rotation",
      audience: url,
      site_key,
      agent_id: buyer.agentId,
      jwk: { ...next.jwk },
      issued_at: new Date(now).toISOString(),
      expires_at: new Date(now + 300_000).toISOString(),
    };
    const signatures = [];
    for (const { kid, signer } of [buyer.key, next]) {
      signatures.push({ kid, signature: await signTagged("keyRotation", signed, signer) });
    }
    const body = JSON.stringify({ signed, envelope: { alg: "EdDSA", signatures } });
    const headers = { "content-type": "application/json" };
    return answerOf(await fetch(url, { method: "POST", headers, body }));
  }

  test("shows the state of its review while the site exists, even if its domain is not verified", async () => {
    const mandate = await at.signed(shop, buyer, PALM);
    const { body } = await at.send(shop, mandate);
    const state = async () => answerOf(await fetch(body.status_url));
    await createSite(server, (await shop.admin("GET", "")).body.domain);
    expect((await state()).body.status).toBe("pending");
    expect((await at.send(shop, mandate)).body).toEqual(body);
    const denial = { reason_code: "other" };
    await shop.admin("POST", `/escalations/${body.escalation_id}/deny`, denial);
    expect((await state()).body).toMatchObject({ status: "denied", reason_code: "other" });
    await shop.admin("DELETE", "");
    expect((await state()).status).toBe(404);
  });

  test("of a deleted site is kept for 90 days, without personal data", async () => {
    const mandate = await at.signed(shop, buyer);
    await at.send(shop, mandate);
    const undecided = await at.signed(shop, buyer, PALM);
    await at.send(shop, undecided);
    await shop.admin("DELETE", "");
    const { db } = server.context;
    const sql = "SELECT * FROM kept_answers WHERE site_key_hash = ? ORDER BY mandate_id";
    const rows = await db.all<Record<string, unknown>>(sql, shop.site_key_hash);
    expect(rows).toHaveLength(2);
    expect(Object.keys(rows[0] ?? {}).sort()).toEqual([
      "answer",
      "digest",
      "kept_until",
      "key_status",
      "kid",
      "mandate_id",
      "site_key_hash",
      "x",
    ]);
    expect(JSON.stringify(rows)).not.toContain(buyer.agentId);
    // What nobody decided can never be approved any more.
    const ended = await at.send(shop, undecided);
    expect([ended.status, ended.body.reason]).toEqual([403, "review_invalidated"]);
    const forged = { ...mandate, signed: { ...mandate.signed, skill: "get_pricing" } };
    expect((await at.send(shop, forged)).body.reason).toBe("signature_invalid");
    clock.advance(90 * DAY_MS);
    expect((await at.send(shop, mandate)).status).toBe(404);
    await db.transaction((tx) => deleteExpiredAnswers(tx, clock.now()));
    expect(await db.all(sql, shop.site_key_hash)).toEqual([]);
  });

  test("prevents deleting its site while the outcome of its payment is unknown", async () => {
    await at.order(shop, buyer, { token: "pm_sandbox_timeout" });
    const refused = await shop.admin("DELETE", "");
    expect([refused.status, refused.body.error]).toEqual([409, "conflict"]);
    expect((await shop.admin("GET", "")).status).toBe(200);
  });
});
