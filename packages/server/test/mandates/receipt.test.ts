import { createHash } from "node:crypto";
import { type Ed25519Jwk, signMandate, verifyTagged } from "@gatehouse/protocol";
import { beforeAll, expect, test } from "vitest";
import { cleanUp, freshEnvironment, startServer, type TestServer } from "../harness.ts";
import { type Buyer, type Shop, submitting } from "./submitting.ts";

let server: TestServer;
let agent: ReturnType<typeof submitting>;
let shop: Shop;
let buyer: Buyer;
beforeAll(async () => {
  server = await startServer(await freshEnvironment("sqlite"));
  agent = submitting(server);
  shop = await agent.shop();
  buyer = await agent.buyer(shop);
  return cleanUp;
});

const PREFER = { prefer: "return=receipt" };

async function auditKey(kid: string): Promise<Ed25519Jwk> {
  const { keys } = (await (await fetch(`${server.url}/.well-known/audit-jwks.json`)).json()) as {
    keys: (Ed25519Jwk & { kid: string })[];
  };
  return keys.find((key) => key.kid === kid) as Ed25519Jwk;
}

test("a receipt proves the request and its answer for any outcome, with the audit key", async () => {
  const approved = JSON.stringify(await signMandate(agent.mandate(shop, buyer), buyer.key.signer));
  const denied = agent.mandate(shop, buyer, { skill: "contact_support" });
  const rejected = JSON.stringify(await signMandate(denied, buyer.key.signer));
  for (const [body, status] of [
    [approved, 200],
    [rejected, 403],
    ["{}", 400],
  ] as const) {
    const answer = await agent.send(shop, body, PREFER);
    expect([answer.status, answer.headers.get("preference-applied")]).toEqual([
      status,
      "return=receipt",
    ]);
    const { receipt, ...plain } = answer.body;
    const { signed, envelope } = receipt;
    expect(signed).toMatchObject({
      type: "receipt",
      site_key: shop.site_key,
      status,
      answer: plain,
    });
    expect(signed.request_sha256).toBe(createHash("sha256").update(body).digest("hex"));
    const key = await auditKey(envelope.kid);
    expect(await verifyTagged("receipt", signed, envelope.signature, key)).toBe(true);
    const changed = { ...signed, answer: { ...signed.answer, outcome: "approved", x: 1 } };
    expect(await verifyTagged("receipt", changed, envelope.signature, key)).toBe(false);
  }
});

test("nothing is signed for a site key that no site can have", async () => {
  const text = encodeURIComponent("Gatehouse certifies evil.example");
  const headers = { ...PREFER, "content-type": "application/json" };
  const request = { method: "POST", headers, body: "{}" };
  const answer = await fetch(`${server.url}/v1/m/${text}/mandate`, request);
  expect([answer.status, answer.headers.get("preference-applied")]).toEqual([404, null]);
  expect(await answer.text()).not.toMatch(/certifies|"receipt"/);
});

test("a receipt is sent only on request", async () => {
  const { body } = await agent.submit(shop, buyer);
  expect(body.receipt).toBeUndefined();
});
