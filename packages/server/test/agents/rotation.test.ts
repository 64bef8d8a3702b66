import { type JsonObject, signMandate, signTagged } from "@gatehouse/protocol";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { answerOf, cleanUp, NOON, TIER_DATABASES } from "../harness.ts";
import { type Market, openMarket } from "../selling/selling.ts";
import { type AgentKey, newKey } from "./registering.ts";

const DAY_MS = 86_400_000;

describe.each(TIER_DATABASES)("an agent that changes its key, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, at, shop, buyer } = {} as Market;
  beforeAll(async () => {
    ({ server, at } = await openMarket(dialect, clock));
    return cleanUp;
  });
  beforeEach(async () => {
    ({ shop, buyer } = await at.shopAndBuyer());
  });

  async function rotate(next: AgentKey, fields: JsonObject = {}, by: AgentKey = buyer.key) {
    const url = `${server.context.config.baseUrl}/v1/m/${shop.site_key}/agents/${buyer.agentId}/keys`;
    const now = clock.now();
    const signed = {
      v: 1,
      type: "key_rotation",
      audience: url,
      site_key: shop.site_key,
      agent_id: buyer.agentId,
      jwk: { ...next.jwk },
      issued_at: new Date(now).toISOString(),
      expires_at: new Date(now + 300_000).toISOString(),
      ...fields,
    };
    const signatures = [];
    for (const key of [by, next]) {
      const signature = await signTagged("keyRotation", signed, key.signer);
      signatures.push({ kid: key.kid, signature });
    }
    const body = JSON.stringify({ signed, envelope: { alg: "EdDSA", signatures } });
    const headers = { "content-type": "application/json" };
    return answerOf(await fetch(url, { method: "POST", headers, body }));
  }
  const submitWith = async (key: AgentKey) =>
    at.send(shop, await signMandate(at.mandate(shop, buyer), key.signer));

  test("uses both keys for a while and then only the new one, and a repeated request changes nothing", async () => {
    const next = await newKey();
    const { status, body } = await rotate(next);
    const until = new Date(clock.now() + DAY_MS).toISOString();
    expect([status, body]).toEqual([
      201,
      { agent_id: buyer.agentId, kid: next.kid, old_key_valid_until: until },
    ]);
    expect((await rotate(next)).body).toEqual(body);
    expect([(await submitWith(buyer.key)).status, (await submitWith(next)).status]).toEqual([
      200, 200,
    ]);
    clock.advance(DAY_MS);
    expect((await submitWith(buyer.key)).body.reason).toBe("identity_check_failed");
    expect((await submitWith(next)).status).toBe(200);
    const { keys } = (await shop.admin("GET", `/agents/${buyer.agentId}`)).body;
    expect(keys).toHaveLength(2);
  });

  test("must sign with the old and the new key, in time, for its own agent and site", async () => {
    const next = await newKey();
    const stranger = await newKey();
    expect((await rotate(next, {}, stranger)).body.reason).toBe("identity_check_failed");
    expect((await rotate(next, { jwk: { ...stranger.jwk } })).body.reason).toBe("schema_invalid");
    expect((await rotate(next, { agent_id: "agt_somebody_else" })).body.reason).toBe(
      "audience_mismatch",
    );
    const past = new Date(clock.now() - DAY_MS).toISOString();
    expect((await rotate(next, { issued_at: past, expires_at: past })).status).toBe(400);
    expect((await rotate(next, { overlap_seconds: 31 * 86_400 })).status).toBe(400);
    const taken = await at.buyer(shop);
    expect((await rotate(taken.key)).body.reason).toBe("identity_check_failed");
    expect((await rotate(buyer.key)).status).toBe(400);
    expect((await submitWith(next)).status).toBe(401);
  });

  test("has at most five keys at a time, and none after it is revoked", async () => {
    const statuses: number[] = [];
    let by = buyer.key;
    for (let n = 0; n < 5; n++) {
      const next = await newKey();
      statuses.push((await rotate(next, {}, by)).status);
      if (statuses.at(-1) === 201) by = next;
    }
    expect(statuses).toEqual([201, 201, 201, 201, 429]);
    await shop.admin("POST", `/agents/${buyer.agentId}/revoke`, {});
    expect((await rotate(await newKey(), {}, by)).body.reason).toBe("identity_check_failed");
  });
});
