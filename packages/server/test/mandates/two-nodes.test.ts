import { signMandate } from "@gatehouse/protocol";
import { beforeAll, expect, test } from "vitest";
import { cleanUp, freshEnvironment, startServer, type TestServer } from "../harness.ts";
import { type Shop, submitting } from "./submitting.ts";

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
