import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { PROOF, SHOP_MESSAGES } from "../../connectors/shop/contract.js";
import type { HttpEnv } from "../server/hono-group.js";
import { body, json } from "../server/schemas.js";
import { ConnectAnswer, OrderChangeAnswer, ProductsAnswer, StatusAnswer } from "./answers.js";
import { ConnectMessage, OrderChangeMessage, ProductsMessage, StatusMessage } from "./messages.js";

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

type Registry = OpenAPIHono<HttpEnv>["openAPIRegistry"];

/** Says what shop systems send, by the schemas that check it, and what Gatehouse sends to them. */
export function describeConnections(registry: Registry): void {
  describeMessagesOfShops(registry);
  describeMessagesToShops(registry);
}

const FROM_SHOPS = [
  {
    path: "products",
    summary: "Send products that have changed, or a part of all of them",
    message: ProductsMessage,
    answer: ProductsAnswer,
  },
  {
    path: "orders",
    summary: "Report a change of an order that was made in the shop system",
    message: OrderChangeMessage,
    answer: OrderChangeAnswer,
  },
  {
    path: "status",
    summary: "Ask how the connection is doing, verify the domain, or disconnect",
    message: StatusMessage,
    answer: StatusAnswer,
  },
];

const RetryAfter = z.object({ "retry-after": z.string().describe("Seconds to wait.") });

const LATER = {
  429: {
    description: "Too many messages, or too many full lists. Send it again after the wait.",
    headers: RetryAfter,
  },
  503: { description: "It cannot be answered now. Send it again.", headers: RetryAfter },
};

const CONTRACT = "The connector interface (docs/guide/connector.md) says how to use it.";

function describeMessagesOfShops(registry: Registry): void {
  const tags = ["Messages of shop systems"];
  registry.registerPath({
    method: "post",
    path: "/v1/connections",
    tags,
    summary: "Connect a shop system with a code",
    description: CONTRACT,
    security: [],
    request: { body: body(ConnectMessage) },
    responses: {
      201: json(ConnectAnswer, "The shop system is connected. The secret is shown only once."),
      400: {
        description:
          "The message cannot be read, an address is not on the site's domain, or the endpoint did not prove that it is connecting.",
      },
      401: { description: "The code is not valid any more." },
      ...LATER,
    },
  });
  for (const { path, summary, message, answer } of FROM_SHOPS) {
    registry.registerPath({
      method: "post",
      path: `/v1/connections/{connection_id}/${path}`,
      tags,
      summary,
      description: CONTRACT,
      security: [],
      request: {
        params: z.object({ connection_id: z.string() }),
        headers: MessageHeaders,
        body: body(message),
      },
      responses: {
        200: { ...json(answer, "The message was understood."), headers: AnswerHeaders },
        400: { description: "The message cannot be read." },
        401: {
          description: "The signature is missing, wrong or old, or the connection has ended.",
        },
        404: { description: "The order is not known." },
        409: { description: "The order is being changed now. Send the message again." },
        422: { description: "The verification file was not found." },
        ...LATER,
      },
    });
  }
}

function describeMessagesToShops(registry: Registry): void {
  registry.registerWebhook({
    method: "post",
    path: "proof",
    operationId: "sendProof",
    tags: ["Messages to shop systems"],
    summary: "Ask a shop system to prove that it is connecting",
    description: `${DESCRIPTION} It is not signed. The time limit is ${PROOF.totalMs / 1000} seconds.`,
    security: [],
    request: { body: body(PROOF.message) },
    responses: {
      200: json(PROOF.answer, "The shop system is connecting."),
      401: { description: "The shop system is not connecting with this challenge." },
    },
  });
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
