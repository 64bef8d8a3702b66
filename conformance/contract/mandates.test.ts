import { generateAgentKey, openAgentKey, sign } from "@gatehouse/agent";
import { signTagged } from "@gatehouse/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import { ask, newSite } from "./asking.ts";
import {
  type Agent,
  admin,
  decisionsIn,
  knownAgent,
  mandateBy,
  post,
  type Shop,
  shopWithRules,
  submit,
  withProtocol,
} from "./mandating.ts";

let shop: Shop;
let agent: Agent;
beforeEach(async () => {
  shop = await shopWithRules();
  agent = await knownAgent(shop);
});

const OUTCOMES = ["approved", "escalated", "rejected", "rate_limited", "unavailable"];
const eur = (cart_total: string) => withProtocol("ap2", { cart_total, cart_currency: "EUR" });

describe("a valid mandate", () => {
  test("[1.4-a 4-k 4.1.10-a] is accepted, and approved with 200 if the policy allows it", async () => {
    const { status, body } = await submit(shop, agent);
    expect([status, body.outcome]).toEqual([200, "approved"]);
  });

  test("[2.7-b 2.7-c 2.7-d] gets mandate_id, record_id and evaluated_at when it is approved", async () => {
    const mandate = await mandateBy(shop, agent);
    const { body } = await post(shop, mandate);
    expect(body.mandate_id).toBe(mandate.signed.mandate_id);
    expect(body.record_id).toMatch(/^\S+$/);
    expect(body.evaluated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  });

  test("[2.7-e 1.4-d] gets the number of evaluated rules when it is approved", async () => {
    expect((await submit(shop, agent)).body.rules_evaluated).toBe(4);
  });

  test("[4.1.10-c 2.7-f 2.7-h] gets 202, an escalation_id and the id of the rule when it is escalated", async () => {
    const { status, body } = await submit(shop, agent, { skill: "contact_support" });
    expect([status, body.outcome, body.evaluated_rule_id]).toEqual([202, "escalated", "ask-me"]);
    expect(body.escalation_id).toMatch(/^esc_\S{20,}$/);
  });

  test("[2.7-g] gets neither record_id nor rules_evaluated when it is escalated", async () => {
    const { body } = await submit(shop, agent, { skill: "contact_support" });
    expect(["record_id", "rules_evaluated"].filter((name) => name in body)).toEqual([]);
  });

  test("[2.7-i 4.1.10-e] gets the reason when the policy rejects it", async () => {
    const { status, body } = await submit(shop, agent, { skill: "sign_up" });
    expect([status, body.outcome, body.reason]).toEqual([403, "rejected", "policy_denied"]);
  });

  test("[1.4-f 2.7-a 3-a] always gets one of the five outcomes", async () => {
    const answers = [
      await submit(shop, agent),
      await submit(shop, agent, { skill: "contact_support" }),
      await submit(shop, agent, { skill: "sign_up" }),
      await submit(shop, agent, { v: 7 }),
      await post(shop, "{"),
      await post(shop, "{}", { "content-type": "text/plain" }),
    ];
    for (const { body } of answers) expect(OUTCOMES).toContain(body.outcome);
  });

  test("[6.2-a 1.5-a] is recorded in the audit log, whatever the outcome", async () => {
    const approved = await submit(shop, agent);
    await submit(shop, agent, { skill: "contact_support" });
    await submit(shop, agent, { skill: "sign_up" });
    const records = await decisionsIn(shop);
    const decided = records.map(
      (record: { decision: { outcome: string } }) => record.decision.outcome,
    );
    expect(decided.sort()).toEqual(["approved", "escalated", "rejected"]);
    expect(
      records.some((one: { record_id: string }) => one.record_id === approved.body.record_id),
    ).toBe(true);
  });

  test("[6.1-a] is answered directly, and nothing is pushed to anyone", async () => {
    const { body, headers } = await submit(shop, agent);
    expect(headers.get("content-type")).toMatch(/^application\/json/);
    expect(Object.keys(body)).not.toContain("callback_url");
  });
});

describe("the signature of a mandate:", () => {
  test("[1.4-b 7-h 5-f] one that does not verify answers 401 signature_invalid", async () => {
    const mandate = await mandateBy(shop, agent);
    const changed = { ...mandate, signed: { ...mandate.signed, skill: "contact_support" } };
    const { status, body } = await post(shop, changed);
    expect([status, body.outcome, body.reason]).toEqual([401, "rejected", "signature_invalid"]);
  });

  test("[1.4-c 4.1.12-d 5.2-b] only the agent's registered key is accepted", async () => {
    const stranger = await openAgentKey(await generateAgentKey());
    const { signed } = await mandateBy(shop, agent);
    const { status, body } = await post(shop, await sign(signed, stranger));
    expect([status, body.reason]).toEqual([401, "identity_check_failed"]);
    const posing = await sign(signed, {
      ...stranger,
      signer: { ...stranger.signer, kid: agent.key.kid },
    });
    expect((await post(shop, posing)).body.reason).toBe("signature_invalid");
  });

  test("[4.1.12-c 5.2-a 9-h] it covers the tag service-mandate-v1, and no other tag is accepted", async () => {
    const { signed } = await mandateBy(shop, agent);
    for (const tag of ["receipt", "withdrawal", "agentRegistration"] as const) {
      const signature = await signTagged(tag, signed, agent.key.signer);
      const envelope = { alg: "EdDSA", kid: agent.key.kid, signature };
      expect((await post(shop, { signed, envelope })).body.reason).toBe("signature_invalid");
    }
    expect((await post(shop, await sign(signed, agent.key))).status).toBe(200);
  });

  test("[5-g 5.1-a] no header and no site key can replace it", async () => {
    const mandate = await mandateBy(shop, agent);
    const unsigned = { ...mandate, envelope: { ...mandate.envelope, signature: "A".repeat(86) } };
    const headers = {
      authorization: `Bearer ${shop.site_key}`,
      cookie: "session=1",
      "x-api-key": "1",
    };
    expect((await post(shop, unsigned, headers)).status).toBe(401);
    expect((await post(shop, mandate)).status).toBe(200);
  });
});

describe("the protocol of a mandate:", () => {
  test("[2.6-c 1.8-d] a2a, ap2 and mcp are accepted", async () => {
    const cart = { cart_total: "1.00", cart_currency: "EUR" };
    for (const protocol of ["a2a", "ap2", "mcp"]) {
      expect((await submit(shop, agent, withProtocol(protocol, cart))).status).toBe(200);
    }
  });

  test("[2.6-d 5.3-b 7-i] any other protocol answers 401 identity_check_failed", async () => {
    for (const protocol of ["ucp", "A2A", "", "visa"]) {
      const { status, body } = await submit(shop, agent, withProtocol(protocol));
      expect([status, body.outcome, body.reason]).toEqual([
        401,
        "rejected",
        "identity_check_failed",
      ]);
    }
  });

  test("[1.8-n 1.8-v] acp and x402 are not accepted", async () => {
    for (const protocol of ["acp", "x402"]) {
      expect((await submit(shop, agent, withProtocol(protocol))).status).toBe(401);
    }
  });

  test("[5.3-a 5.3-c] an unsupported protocol is refused before the policy is evaluated, and recorded as such", async () => {
    await submit(shop, agent, withProtocol("acp"));
    const [record] = await decisionsIn(shop);
    expect(record.decision).toEqual({
      outcome: "rejected",
      reason_codes: ["protocol_unsupported"],
    });
  });

  test("[1.8-e] the cart of an AP2 mandate is validated", async () => {
    for (const cart_total of ["1,00", "1.001", "-1", "1e3", true]) {
      const cart = withProtocol("ap2", { cart_total, cart_currency: "EUR" });
      expect((await submit(shop, agent, cart)).body.reason).toBe("cart_invalid");
    }
  });

  test("[1.8-f 2.6-e] the total of an AP2 cart is used by the policy's cart rules", async () => {
    expect((await submit(shop, agent, eur("100.00"))).status).toBe(200);
    const { body } = await submit(shop, agent, eur("100.01"));
    expect([body.reason, body.evaluated_rule_id]).toEqual(["policy_denied", "too-much"]);
  });

  test("[2.6-f] the currency of an AP2 cart is used by the policy's currency rules", async () => {
    const dollars = withProtocol("ap2", { cart_total: "1.00", cart_currency: "USD" });
    expect((await submit(shop, agent, dollars)).body.evaluated_rule_id).toBe("no-dollars");
  });

  test("[1.8-g] complete AP2 objects beside the cart are carried, but not validated", async () => {
    const objects = { IntentMandate: { nonsense: 1 }, CartMandate: [], PaymentMandate: "?" };
    const cart = { cart_total: "1.00", cart_currency: "EUR", ...objects };
    expect((await submit(shop, agent, withProtocol("ap2", cart))).status).toBe(200);
  });
});

describe("the body and the headers of a mandate:", () => {
  test("[2.6-a] the body is an object with signed and envelope, and nothing else", async () => {
    const mandate = await mandateBy(shop, agent);
    for (const body of [{ signed: mandate.signed }, { ...mandate, more: 1 }, [mandate], "text"]) {
      expect((await post(shop, JSON.stringify(body))).body.reason).toBe("schema_invalid");
    }
  });

  test("[2.6-b 7-g 8-a] a body over 8 KB is rejected with 413", async () => {
    const padded = (padding: string) =>
      mandateBy(shop, agent, { protocol_context: { protocol: "a2a", padding } });
    const room = 8192 - JSON.stringify(await padded("")).length;
    const fits = await padded("x".repeat(room - 100));
    expect((await post(shop, fits)).status).toBe(200);
    const { status, body } = await post(shop, { ...fits, more: "x".repeat(300) });
    expect([status, body.outcome, body.reason]).toEqual([413, "rejected", "body_too_large"]);
  });

  test("[4-l 4.1.8-a] X-Service-Request-Id is optional, and is echoed if it is sent", async () => {
    const mandate = await mandateBy(shop, agent);
    const headers = { "x-service-request-id": "agent-7" };
    expect((await post(shop, mandate, headers)).headers.get("x-service-request-id")).toBe(
      "agent-7",
    );
    expect((await post(shop, mandate)).headers.get("x-service-request-id")).toBeNull();
  });

  test("[4.1.3-b 4.1.3-c 4.1.4-d] Origin is echoed, credentials are not allowed, and nothing is cached", async () => {
    const { headers } = await post(shop, await mandateBy(shop, agent), {
      origin: "https://a.example",
    });
    expect(headers.get("access-control-allow-origin")).toBe("https://a.example");
    expect(headers.get("access-control-allow-credentials")).toBeNull();
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test("[2.1-d] the mandate route takes the site key, not its hash", async () => {
    const byHash = {
      ...shop,
      mandateUrl: shop.mandateUrl.replace(shop.site_key, shop.site_key_hash),
    };
    expect((await submit(byHash, agent)).body.reason).toBe("site_not_found");
    expect((await submit(shop, agent)).status).toBe(200);
  });

  test("[2.1-b] a site with an older key accepts mandates under that key", async () => {
    const key = `sk_conformance-${Math.random().toString(36).slice(2, 12)}`;
    const { site, done } = await newSite({ site_key: key });
    const { status, body } = await ask("POST", `/v1/m/${key}/agents/challenge`, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jwk: agent.key.jwk }),
    });
    expect([status, body.reason]).toEqual([403, "mandates_disabled"]);
    await admin(site, "POST", "/verify", { method: "operator", reason: "conformance" });
    const verified = await ask("POST", `/v1/m/${key}/agents/challenge`, {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jwk: agent.key.jwk }),
    });
    expect(verified.status).toBe(200);
    await done();
  });
});

describe("the status of an answer:", () => {
  test("[4.1.10-d 7-p 7-q] rejections have the status of their reason: 400, 401, 403, 404, 413 or 415", async () => {
    const elsewhere = {
      ...shop,
      mandateUrl: shop.mandateUrl.replace(shop.site_key, `us_${"A".repeat(43)}`),
    };
    const answers = [
      await submit(shop, agent, { v: 2 }),
      await submit(shop, agent, withProtocol("acp")),
      await submit(shop, agent, { skill: "sign_up" }),
      await submit(elsewhere, agent),
      await post(shop, JSON.stringify({ a: "x".repeat(9000) })),
      await post(shop, "{}", { "content-type": "text/plain" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 401, 403, 404, 413, 415]);
    for (const { body } of answers) expect(body.outcome).toBe("rejected");
  });

  test("[7-j 7-k] an agent that failed too often gets 429 and has to wait", async () => {
    for (let n = 0; n < 20; n++) await submit(shop, agent, { skill: "sign_up" });
    for (let n = 0; n < 2; n++) {
      const { status, body, headers } = await submit(shop, agent);
      expect([status, body.outcome, body.reason]).toEqual([
        429,
        "rejected",
        "agent_temporarily_locked",
      ]);
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    }
  });

  test("[4.1.10-f 7-l 8-b] too many mandates for a site get 429 rate_limited and have to wait 60 seconds", async () => {
    const agents = [agent, await knownAgent(shop), await knownAgent(shop)];
    const answers = await Promise.all(
      agents.flatMap((by) => Array.from({ length: 45 }, () => submit(shop, by))),
    );
    const limited = answers.filter(({ body }) => body.outcome === "rate_limited");
    expect(limited.length).toBeGreaterThan(0);
    expect([limited[0]?.status, limited[0]?.body.retry_after_seconds]).toEqual([429, 60]);
  });

  test("[2.7-j] rate_limited says how many seconds to wait, as an integer", async () => {
    const answers = await Promise.all(Array.from({ length: 70 }, () => submit(shop, agent)));
    const limited = answers.find(({ body }) => body.outcome === "rate_limited");
    expect(Number.isInteger(limited?.body.retry_after_seconds)).toBe(true);
  });
});
