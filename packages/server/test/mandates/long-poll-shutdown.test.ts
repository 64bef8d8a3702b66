import type { JsonObject } from "@gatehouse/protocol";
import { expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import {
  answerOf,
  freshEnvironment,
  NOON,
  OPERATOR_TOKEN,
  startServer,
  whenWaiting,
} from "../harness.ts";
import { POLICY, submitting } from "./submitting.ts";

const ASK = { id: "ask", effect: "escalate", when: { skill: { eq: "get_pricing" } } };
const ASKING = { ...POLICY, rules: [POLICY.rules[0], ASK] } as unknown as JsonObject;
/** How often a waiting request looks for news. */
const LOOK_EVERY_MS = 500;

test("a stopping process answers waiting requests with the current state, and ends its streams", async () => {
  const clock = new ManualClock(NOON);
  const server = await startServer(await freshEnvironment("sqlite"), { clock });
  const agent = submitting(server);
  const shop = await agent.shop(ASKING);
  const escalated = await agent.submit(shop, await agent.buyer(shop));
  const waits = whenWaiting(clock, LOOK_EVERY_MS);
  const polled = fetch(escalated.body.status_url, { headers: { prefer: "wait=20" } }).then(
    answerOf,
  );
  const stream = await fetch(`${server.url}/v1/admin/sites/${shop.site_key_hash}/changes`, {
    headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
  });
  await waits;
  const stopped = server.stop();
  const { expires_at } = escalated.body;
  expect(await polled).toMatchObject({ status: 200, body: { status: "pending", expires_at } });
  expect(await stream.text()).toBe(": listening\n\n");
  await stopped;
});
