import { signMandate } from "@gatehouse/protocol";
import { beforeAll, expect, test } from "vitest";
import { cleanUp, freshEnvironment, startServer, type TestServer } from "../harness.ts";
import { newMandateId, POLICY, type Shop, submitting } from "./submitting.ts";

/** Two processes behind one address, on one database. */
const BASE_URL = "http://127.0.0.1:9";
let nodes: readonly [TestServer, TestServer];
let agent: ReturnType<typeof submitting>;
beforeAll(async () => {
  const env = {
    ...(await freshEnvironment("postgres")),
    GATEHOUSE_BASE_URL: BASE_URL,
    GATEHOUSE_MANDATES_PER_SITE_PER_MINUTE: "1000",
    GATEHOUSE_MANDATES_PER_AGENT_PER_MINUTE: "1000",
  };
  const first = await startServer(env);
  nodes = [first, await startServer(env)];
  agent = submitting(first);
  return cleanUp;
});

/** Sends a body to one node or the other. */
async function sendTo(node: TestServer, { site_key }: Shop, body: unknown) {
  const response = await fetch(`${node.url}/v1/m/${site_key}/mandate`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}

test("fifty of the same mandate on two nodes are one decision, and one answer to all", async () => {
  const shop = await agent.shop();
  const buyer = await agent.buyer(shop);
  const body = await signMandate(agent.mandate(shop, buyer), buyer.key.signer);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) => sendTo(nodes[n % 2] as TestServer, shop, body)),
  );
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(200);
  expect(await agent.records(shop)).toHaveLength(1);
  expect((await shop.admin("GET", "/decisions")).body.items).toHaveLength(1);
});

test("a budget of 1,000 on two nodes takes exactly ten of a hundred mandates of 100 at once", async () => {
  const spend = { scope: "site", window: "P1D", would_exceed: { EUR: "1000.00" } };
  const rules = [POLICY.rules[0], { id: "day", effect: "deny", when: { spend } }];
  const shop = await agent.shop({ ...POLICY, rules } as never);
  const buyers = await Promise.all(Array.from({ length: 10 }, () => agent.buyer(shop)));
  const cart = { protocol: "ap2", cart_total: "100.00", cart_currency: "EUR" };
  const bodies = await Promise.all(
    Array.from({ length: 100 }, (_, n) => {
      const buyer = buyers[n % 10] as (typeof buyers)[number];
      const fields = { mandate_id: newMandateId(), protocol_context: cart };
      return signMandate(agent.mandate(shop, buyer, fields), buyer.key.signer);
    }),
  );
  const answers = await Promise.all(
    bodies.map((body, n) => sendTo(nodes[n % 2] as TestServer, shop, body)),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
  expect(answers.filter(({ text }) => text.includes("budget_exceeded"))).toHaveLength(90);
});
