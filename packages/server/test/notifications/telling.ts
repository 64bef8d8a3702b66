import { type JsonObject, signMandate } from "@gatehouse/protocol";
import { deliverMessages } from "../../src/actions/notifications/deliver-messages.ts";
import type { ManualClock } from "../../src/infra/clock.ts";
import type { TestServer } from "../harness.ts";
import { type Buyer, POLICY, type Shop, submitting } from "../mandates/submitting.ts";

const ASK = {
  id: "ask",
  title: "Ask me",
  effect: "escalate",
  when: { skill: { eq: "get_pricing" } },
};
const ASKING = { ...POLICY, rules: [POLICY.rules[0], ASK] } as unknown as JsonObject;

/** A shop whose rules leave everything to a person, and what its owner is told. */
export function telling(server: TestServer, clock: ManualClock) {
  const agent = submitting(server);
  const buyers = new Map<Shop, Buyer>();

  async function shop(settings: JsonObject, domain?: string): Promise<Shop> {
    const made = await agent.shop(ASKING, domain);
    const set = await made.admin("PUT", "/notifications", settings);
    if (set.status !== 200) throw new Error(set.body.message);
    buyers.set(made, await agent.buyer(made));
    return made;
  }

  /** Has the rules ask for a person once more. */
  async function escalate(to: Shop, fields: JsonObject = {}) {
    const buyer = buyers.get(to) as Buyer;
    const sent = await signMandate(agent.mandate(to, buyer, fields), buyer.key.signer);
    const answer = await agent.send(to, sent);
    return { buyer, sent, answer, escalationId: answer.body.escalation_id };
  }

  const messages = async ({ admin }: Shop, query = "") =>
    (await admin("GET", `/messages?limit=200${query}`)).body.items;

  /** One run of the job, at this moment. */
  const deliver = () => deliverMessages(server.context);

  /** Goes to the moment at which the only message of a shop is tried next, and tries it. */
  async function deliverNext(to: Shop) {
    const [{ next_at }] = await messages(to);
    clock.advance(Math.max(0, Date.parse(next_at) - clock.now()));
    await deliver();
  }

  return { ...agent, shop, escalate, messages, deliver, deliverNext };
}
