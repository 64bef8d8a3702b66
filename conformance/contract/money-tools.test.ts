import { beforeEach, describe, expect, test } from "vitest";
import {
  A_ROSE,
  type Agent,
  admin,
  callTool,
  decisionsIn,
  knownAgent,
  mandateBy,
  post,
  type Shop,
  sellingShop,
} from "./mandating.ts";

let shop: Shop;
let agent: Agent;
beforeEach(async () => {
  shop = await sellingShop();
  agent = await knownAgent(shop);
});

const ARGUMENTS = A_ROSE.arguments;
const orders = async () => (await admin(shop, "GET", "/orders")).body.items;

describe("a skill that moves money", () => {
  test("[1.6-i] does nothing without a signed mandate, and says what to sign", async () => {
    const before = (await orders()).length;
    const result = await callTool(shop, "place_order", ARGUMENTS);
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { outcome: "mandate_required" },
    });
    expect(await orders()).toHaveLength(before);
  });

  test("[5-e] accepts, as a tool, only a mandate that verifies", async () => {
    const mandate = await mandateBy(shop, agent, A_ROSE);
    const signed = { ...mandate.signed, mandate_id: "another-id-of-a-mandate" };
    const forged = await callTool(shop, "place_order", {
      ...ARGUMENTS,
      mandate: { ...mandate, signed },
    });
    expect(forged.structuredContent).toMatchObject({
      outcome: "rejected",
      reason: "signature_invalid",
    });
    const bought = await callTool(shop, "place_order", { ...ARGUMENTS, mandate });
    expect(bought).toMatchObject({ isError: false, structuredContent: { outcome: "approved" } });
  });

  test("[4.1.9-f] is decided, as a tool, like at the endpoint: with one decision and the same body", async () => {
    const mandate = await mandateBy(shop, agent, A_ROSE);
    const [orderCount, decisionCount] = [(await orders()).length, (await decisionsIn(shop)).length];
    const { structuredContent } = await callTool(shop, "place_order", { ...ARGUMENTS, mandate });
    const sent = await post(shop, mandate);
    expect([sent.status, sent.body]).toEqual([200, structuredContent]);
    expect(await orders()).toHaveLength(orderCount + 1);
    expect(await decisionsIn(shop)).toHaveLength(decisionCount + 1);
    // And what the endpoint refuses, the tool refuses in the same words.
    const cart = { ...A_ROSE.protocol_context, cart_total: "1.00" };
    const cheap = await mandateBy(shop, agent, { ...A_ROSE, protocol_context: cart });
    const refused = await callTool(shop, "place_order", { ...ARGUMENTS, mandate: cheap });
    expect(refused.structuredContent).toMatchObject({ reason: "cart_mismatch" });
    expect((await post(shop, cheap)).body).toEqual(refused.structuredContent);
  });
});
