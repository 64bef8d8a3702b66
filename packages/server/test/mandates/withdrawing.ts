import { type JsonObject, signTagged } from "@gatehouse/protocol";
import { answerOf, type TestAnswer } from "../harness.ts";
import type { Buyer, Shop } from "./submitting.ts";

interface Withdrawal {
  readonly shop: Shop;
  readonly buyer: Buyer;
  readonly escalationId: string;
  readonly now: number;
}

/** Takes a request back as its agent would, with what a test wants otherwise. */
export async function withdrawal(
  statusUrl: string,
  { shop, buyer, escalationId, now }: Withdrawal,
  fields: JsonObject = {},
): Promise<TestAnswer> {
  const signed = {
    v: 1,
    type: "withdrawal",
    site_key: shop.site_key,
    agent_id: buyer.agentId,
    escalation_id: escalationId,
    issued_at: new Date(now).toISOString(),
    ...fields,
  };
  const signature = await signTagged("withdrawal", signed, buyer.key.signer);
  const envelope = { alg: "EdDSA", kid: buyer.key.kid, signature };
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ signed, envelope });
  return answerOf(await fetch(`${statusUrl}/withdraw`, { method: "POST", headers, body }));
}
