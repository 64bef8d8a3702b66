import { type JsonObject, signMandate, signTagged } from "@gatehouse/protocol";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { newKey } from "../agents/registering.ts";
import {
  cleanUp,
  DATABASES,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
} from "../harness.ts";
import { type Buyer, newMandateId, POLICY, type Shop, submitting } from "./submitting.ts";

describe.each(DATABASES)("a mandate, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let server: TestServer;
  let agent: ReturnType<typeof submitting>;
  let shop: Shop;
  let buyer: Buyer;
  beforeAll(async () => {
    const env = await freshEnvironment(dialect);
    const limits = { GATEHOUSE_SOURCE_REQUESTS_PER_MINUTE: "100000" };
    server = await startServer({ ...env, ...limits }, { clock });
    agent = submitting(server);
    return cleanUp;
  });
  beforeEach(async () => {
    clock.advance(61_000);
    shop = await agent.shop();
    buyer = await agent.buyer(shop);
  });

  const rejected = (status: number, reason: string) => [status, "rejected", reason];
  const seen = ({ status, body }: { status: number; body: JsonObject }) => [
    status,
    body.outcome,
    body.reason,
  ];

  test("that the rules allow is approved in the contract's format, and recorded", async () => {
    const mandate_id = newMandateId();
    const { status, body, headers } = await agent.submit(shop, buyer, { mandate_id });
    expect(status).toBe(200);
    expect(body).toEqual({
      outcome: "approved",
      mandate_id,
      record_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      evaluated_at: new Date(clock.now()).toISOString(),
      rules_evaluated: 2,
    });
    expect(headers.get("cache-control")).toBe("no-store");
    const [record] = await agent.records(shop);
    expect(record.record).toMatchObject({
      record_id: body.record_id,
      agent: { id: buyer.agentId, key_thumbprint: buyer.key.kid },
      mandate: { mandate_id },
      skill: "get_pricing",
      protocol: "a2a",
      decision: {
        outcome: "approved",
        policy_version: 1,
        rules: [{ id: "links", result: "matched" }, {}],
      },
    });
    const { items } = (await shop.admin("GET", "/decisions")).body;
    expect(items).toMatchObject([{ mandate_id, outcome: "approved", record_id: body.record_id }]);
  });

  test("that a rule denies is rejected with the rule's id, and without its threshold", async () => {
    const answer = await agent.submit(shop, buyer, { skill: "contact_support" });
    expect(seen(answer)).toEqual(rejected(403, "policy_denied"));
    expect(answer.body.evaluated_rule_id).toBe("no-support");
    expect(Object.keys(answer.body).sort()).toEqual(
      ["docs_url", "evaluated_rule_id", "mandate_id", "message", "outcome", "reason"].filter(
        (name) => name in answer.body,
      ),
    );
  });

  test("that is sent again gets the same answer from one decision, whatever has changed since", async () => {
    const body = await signMandate(agent.mandate(shop, buyer), buyer.key.signer);
    const first = await agent.send(shop, body);
    await shop.admin("PUT", "/policy", {
      policy: "rules/1",
      timezone: "UTC",
      default: "deny",
      rules: [],
    });
    await shop.admin("POST", `/agents/${buyer.agentId}/suspend`, {});
    clock.advance(3_600_000);
    const again = await agent.send(shop, body);
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await agent.records(shop)).toHaveLength(1);
  });

  test("that is sent fifty times at once is decided once, and all get the same answer", async () => {
    const body = await signMandate(agent.mandate(shop, buyer), buyer.key.signer);
    const answers = await Promise.all(Array.from({ length: 50 }, () => agent.send(shop, body)));
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body]))).size).toBe(1);
    expect(await agent.records(shop)).toHaveLength(1);
    expect((await shop.admin("GET", "/decisions")).body.items).toHaveLength(1);
  });

  test("whose id was used with other content is rejected, and the first one stands", async () => {
    const mandate_id = newMandateId();
    await agent.submit(shop, buyer, { mandate_id });
    const other = await agent.submit(shop, buyer, { mandate_id, arguments: { question: "?" } });
    expect(seen(other)).toEqual(rejected(400, "mandate_id_conflict"));
    const another = await agent.buyer(shop);
    expect((await agent.submit(shop, another, { mandate_id })).status).toBe(200);
  });

  test("is rejected for its form before anything about its sender is checked", async () => {
    const other = "https://evil.example/v1/m/x/mandate";
    const cases: [string, JsonObject, number, string][] = [
      ["no protocol", { protocol_context: {} }, 401, "identity_check_failed"],
      [
        "a protocol that is not taken",
        { protocol_context: { protocol: "acp" } },
        401,
        "identity_check_failed",
      ],
      ["another version", { v: 2 }, 400, "unsupported_version"],
      ["a short id", { mandate_id: "short" }, 400, "schema_invalid"],
      ["no agent", { agent_id: 5 }, 400, "schema_invalid"],
      ["no time", { issued_at: "now" }, 400, "schema_invalid"],
      ["arguments of another type", { arguments: [] }, 400, "schema_invalid"],
      ["payment without a token", { payment: { handler: "stripe" } }, 400, "schema_invalid"],
      ["a member nobody knows", { max_total: "10.00" }, 400, "schema_invalid"],
      [
        "a payment with a member nobody knows",
        { payment: { handler: "sandbox", token: "pm_card_visa", capture: true } },
        400,
        "schema_invalid",
      ],
      ["a skill that cannot be", { skill: "Get Pricing" }, 400, "schema_invalid"],
      ["another address", { audience: other }, 400, "audience_mismatch"],
      ["another site", { site_key: `us_${"A".repeat(43)}` }, 400, "audience_mismatch"],
    ];
    for (const [name, fields, status, reason] of cases) {
      const answer = await agent.submit(shop, buyer, fields);
      expect([name, ...seen(answer)]).toEqual([name, ...rejected(status, reason)]);
      expect(answer.body.mandate_id).toBeUndefined();
    }
    const specific = (await agent.records(shop)).map(
      ({ record }: { record: { decision: { reason_codes: string[] } } }) =>
        record.decision.reason_codes[0],
    );
    expect(specific).toContain("protocol_unsupported");
    // The rest of the minute is counted.
    expect(specific).toHaveLength(10);
  });

  test("with an invalid envelope is rejected", async () => {
    const good = await signMandate(agent.mandate(shop, buyer), buyer.key.signer);
    const cases: [unknown, number, string][] = [
      [{ signed: good.signed }, 400, "schema_invalid"],
      [{ ...good, more: 1 }, 400, "schema_invalid"],
      [[], 400, "schema_invalid"],
      [{ ...good, envelope: { ...good.envelope, alg: "HS256" } }, 400, "unsupported_version"],
      [{ ...good, envelope: { ...good.envelope, note: 1 } }, 400, "schema_invalid"],
      [
        { ...good, envelope: { ...good.envelope, signature: `${good.envelope.signature}=` } },
        400,
        "schema_invalid",
      ],
      [
        { ...good, envelope: { ...good.envelope, signature: "A".repeat(86) } },
        401,
        "signature_invalid",
      ],
      [{ ...good, signed: { ...good.signed, skill: "contact_support" } }, 401, "signature_invalid"],
      [
        { ...good, envelope: { ...good.envelope, kid: "A".repeat(43) } },
        401,
        "identity_check_failed",
      ],
    ];
    for (const [body, status, reason] of cases) {
      expect(seen(await agent.send(shop, body))).toEqual(rejected(status, reason));
    }
    expect((await shop.admin("GET", "/decisions")).body.items).toEqual([]);
  });

  test("with another tag, another agent's key or another site's agent is rejected", async () => {
    const signed = agent.mandate(shop, buyer);
    const signature = await signTagged("receipt", signed, buyer.key.signer);
    const wrongTag = { signed, envelope: { alg: "EdDSA", kid: buyer.key.kid, signature } };
    expect(seen(await agent.send(shop, wrongTag))).toEqual(rejected(401, "signature_invalid"));
    const thief = await agent.buyer(shop);
    const stolen = await signMandate(agent.mandate(shop, buyer), thief.key.signer);
    expect(seen(await agent.send(shop, stolen))).toEqual(rejected(401, "identity_check_failed"));
    const elsewhere = await agent.buyer(await agent.shop(POLICY, "other.example.com"));
    expect(seen(await agent.submit(shop, elsewhere))).toEqual(
      rejected(401, "identity_check_failed"),
    );
    const unknown = { agentId: "agt_nobody_at_all", key: await newKey() };
    expect(seen(await agent.submit(shop, unknown))).toEqual(rejected(401, "identity_check_failed"));
  });

  test("in development gets the bytes that should have been signed", async () => {
    const good = await signMandate(agent.mandate(shop, buyer), buyer.key.signer);
    const { body } = await agent.send(shop, {
      ...good,
      envelope: { ...good.envelope, signature: "A".repeat(86) },
    });
    const text = Buffer.from(body.expected_bytes, "base64url").toString();
    expect(text.startsWith('service-mandate-v1\0{"agent_id":')).toBe(true);
    expect(body.expected_sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  test("is valid only in its time window, with a tolerance of a minute", async () => {
    const at = (from: number, to: number) => ({
      issued_at: new Date(clock.now() + from).toISOString(),
      expires_at: new Date(clock.now() + to).toISOString(),
    });
    const cases: [JsonObject, number, string | undefined][] = [
      [at(59_000, 300_000), 200, undefined],
      [at(61_000, 300_000), 400, "mandate_not_yet_valid"],
      [at(-300_000, -59_000), 200, undefined],
      [at(-300_000, -60_000), 400, "mandate_expired"],
      [at(0, 900_000), 200, undefined],
      [at(0, 900_001), 400, "lifetime_too_long"],
      [at(0, 0), 400, "lifetime_too_long"],
    ];
    for (const [times, status, reason] of cases) {
      const answer = await agent.submit(shop, buyer, times);
      expect([answer.status, answer.body.reason]).toEqual([status, reason]);
    }
    await shop.admin("PATCH", "/mandates", { lifetime_seconds: 3_600 });
    expect((await agent.submit(shop, buyer, at(0, 3_600_000))).status).toBe(200);
  });

  test("is rejected at once when the owner stops its agent, turns mandates off or disables the skill", async () => {
    const status = async (step: string) => {
      await shop.admin("POST", `/agents/${buyer.agentId}/${step}`, {});
      return seen(await agent.submit(shop, buyer));
    };
    expect(await status("suspend")).toEqual(rejected(403, "agent_suspended"));
    expect((await status("approve"))[0]).toBe(200);
    await shop.admin("PATCH", "/mandates", { enabled: false });
    expect(seen(await agent.submit(shop, buyer))).toEqual(rejected(403, "mandates_disabled"));
    await shop.admin("PATCH", "/mandates", { enabled: true });
    const dead = await agent.submit(shop, buyer, { skill: "request_demo" });
    expect(seen(dead)).toEqual(rejected(403, "skill_not_live"));
    expect(dead.body.message).toMatch(/ Live now: (\w+, )*get_pricing\b.*\.$/);
    expect(await status("revoke")).toEqual(rejected(401, "identity_check_failed"));
    const ruleless = await agent.shop(null);
    const other = await agent.buyer(ruleless);
    expect(seen(await agent.submit(ruleless, other))).toEqual(rejected(403, "mandates_disabled"));
  });

  test("must be within its agent's scopes, of each kind that is set", async () => {
    const scoped = await agent.buyer(shop, {
      scopes: ["skill:get_pricing", "mandate:ap2", "currency:EUR"],
    });
    const ap2 = (cart: JsonObject) => ({ protocol_context: { protocol: "ap2", ...cart } });
    const eur = ap2({ cart_total: "1.00", cart_currency: "EUR" });
    expect((await agent.submit(shop, scoped, eur)).status).toBe(200);
    const cases = [
      {},
      { ...eur, skill: "contact_support" },
      ap2({ cart_total: "1.00", cart_currency: "USD" }),
    ];
    for (const fields of cases) {
      expect(seen(await agent.submit(shop, scoped, fields))).toEqual(
        rejected(403, "scope_not_granted"),
      );
    }
  });

  test("with an invalid cart, or with evidence, is rejected, also when it is sent again", async () => {
    const carts: JsonObject[] = [
      { cart_total: "1.001", cart_currency: "EUR" },
      { cart_total: "1", cart_currency: "XXQ" },
      { cart_total: "1,00", cart_currency: "EUR" },
      { cart_total: "1.00" },
      { cart_total: [1], cart_currency: "EUR" },
    ];
    for (const cart of carts) {
      const fields = { protocol_context: { protocol: "ap2", ...cart }, mandate_id: newMandateId() };
      const signed = await signMandate(agent.mandate(shop, buyer, fields), buyer.key.signer);
      expect(seen(await agent.send(shop, signed))).toEqual(rejected(400, "cart_invalid"));
      const again = await agent.send(shop, signed);
      expect(again.headers.get("idempotent-replayed")).toBe("true");
    }
    const evidence = [{ type: "mandate.checkout.1", digest: "sha-256:AAAA" }];
    expect(seen(await agent.submit(shop, buyer, { evidence }))).toEqual(
      rejected(400, "evidence_invalid"),
    );
  });
});
