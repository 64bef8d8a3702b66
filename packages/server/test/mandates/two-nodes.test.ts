import { type JsonObject, signMandate } from "@gatehouse/protocol";
import { beforeAll, expect, test } from "vitest";
import { cleanUp, freshEnvironment, startServer, type TestServer } from "../harness.ts";
import { type Buyer, POLICY, type Shop, submitting } from "./submitting.ts";

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

test("fifty copies of one mandate on two nodes lead to one decision, and one answer for all", async () => {
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

test("decisions and reviews on two nodes at the same time are counted exactly", async () => {
  const ask = { id: "ask", effect: "escalate", when: { skill: { eq: "get_pricing" } } };
  const asking = { ...POLICY, rules: [POLICY.rules[0], ask] } as unknown as JsonObject;
  const shops = [
    await agent.shop(asking, "one.example.com"),
    await agent.shop(asking, "two.example.com"),
  ];
  const buyers = await Promise.all(shops.map((shop) => agent.buyer(shop)));
  /** In turn for either shop, at either node. */
  const many = (count: number) =>
    Promise.all(
      Array.from({ length: count }, async (_, n) => {
        const [shop, buyer] = [shops[n % 2] as Shop, buyers[n % 2] as Buyer];
        const body = await signMandate(agent.mandate(shop, buyer), buyer.key.signer);
        const node = nodes[Math.floor(n / 2) % 2] as TestServer;
        const { escalation_id } = JSON.parse((await sendTo(node, shop, body)).text);
        return { shop, escalation_id };
      }),
    );
  const waiting = await many(24);
  const reviewed = waiting.map(async ({ shop, escalation_id }, n) => {
    const path = `/v1/admin/sites/${shop.site_key_hash}/escalations/${escalation_id}`;
    const verb = n < 12 ? "approve" : "deny";
    const said = verb === "deny" ? { reason_code: "other" } : {};
    const node = nodes[n % 2] as TestServer;
    expect((await node.admin("POST", `${path}/${verb}`, said)).status).toBe(200);
  });
  await Promise.all([...reviewed, many(24)]);
  for (const [n, shop] of shops.entries()) {
    const by_outcome = { approved: 6, escalated: 12, rejected: 6, paying: 0 };
    const { items, agents } = (await shop.admin("GET", "/decisions/counts")).body;
    const total = (name: "approved") =>
      items.reduce((sum: number, one: { by_outcome: Record<string, number> }) => {
        return sum + (one.by_outcome[name] ?? 0);
      }, 0);
    const names = Object.keys(by_outcome) as "approved"[];
    expect(Object.fromEntries(names.map((name) => [name, total(name)]))).toEqual(by_outcome);
    expect(agents).toEqual([{ agent_id: buyers[n]?.agentId, decisions: 24, by_outcome }]);
  }
});
