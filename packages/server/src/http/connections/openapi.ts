import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { SHOP_MESSAGES } from "../../connectors/shop/contract.js";
import type { HttpEnv } from "../server/hono-group.js";
import { body, json } from "../server/schemas.js";

const SUMMARIES: Readonly<Record<keyof typeof SHOP_MESSAGES, string>> = {
  quote: "Ask what a cart costs",
  reserve: "Reserve the goods of a purchase",
  release: "Free the goods of a purchase that was not paid",
  order: "Send an order as it is now",
};

const DESCRIPTION =
  "Gatehouse sends it to the endpoint of the shop system. The connector interface (docs/guide/connector.md) says what to do with it.";

const timestamp = z.string().describe("Whole seconds since 1970.");
const signature = z
  .string()
  .describe("`v1,` and the base64 of HMAC-SHA256(secret, id + `.` + timestamp + `.` + body).");

const MessageHeaders = z.object({
  "webhook-id": z.string().describe("The id of the message, the same if it is sent again."),
  "webhook-timestamp": timestamp,
  "webhook-signature": signature,
});

const AnswerHeaders = z.object({
  "webhook-id": z.string().describe("The id of the message that is answered."),
  "webhook-timestamp": timestamp,
  "webhook-signature": signature,
});

/** Says what Gatehouse sends to shop systems, by the schemas that check their answers. */
export function describeShopMessages(registry: OpenAPIHono<HttpEnv>["openAPIRegistry"]): void {
  for (const [type, { message, answer, totalMs }] of Object.entries(SHOP_MESSAGES)) {
    registry.registerWebhook({
      method: "post",
      path: type,
      operationId: `send${type[0]?.toUpperCase()}${type.slice(1)}`,
      tags: ["Messages to shop systems"],
      summary: SUMMARIES[type as keyof typeof SHOP_MESSAGES],
      description: `${DESCRIPTION} The time limit is ${totalMs / 1000} seconds.`,
      security: [],
      request: { headers: MessageHeaders, body: body(message) },
      responses: {
        200: { ...json(answer, "The message was understood."), headers: AnswerHeaders },
        400: { description: "The message cannot be read." },
        401: { description: "The signature is missing, wrong or old." },
        503: { description: "The shop system cannot answer now." },
      },
    });
  }
}
