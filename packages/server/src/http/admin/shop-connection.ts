import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { createCode } from "../../actions/shop-connections/create-code.js";
import { disconnectShop } from "../../actions/shop-connections/end-connection.js";
import { confirmMissing } from "../../actions/shop-connections/full-list.js";
import {
  type ConnectionStatus,
  showConnection,
  syncProblem,
} from "../../actions/shop-connections/show-connection.js";
import { CHALLENGE } from "../../connectors/shop/messages.js";
import type { Context } from "../../context.js";
import { isoTime } from "../../infra/clock.js";
import { requireOk } from "../server/require-ok.js";
import { json, Timestamp } from "../server/schemas.js";
import { type AdminEnv, actorOf, requireConfirmed, requireSite } from "./access.js";
import { siteRoute } from "./describe.js";

const ConnectionBody = z
  .object({
    connection_id: z.string(),
    system: z.string().openapi({ example: "WooCommerce 10.2.4" }),
    sells: z.boolean().openapi({
      description: "Whether products, quotes and orders of the site come from it.",
    }),
    endpoint: z.string(),
    cart_link: z.string().nullable(),
    connected_at: Timestamp,
    seen_at: Timestamp.openapi({ description: "When its last message arrived, to the minute." }),
    products: z.object({
      listed: z.int(),
      paused: z.int(),
      problem: z.string().nullable().openapi({
        description: "Why the last full list was not taken over whole.",
      }),
      synced_at: Timestamp.nullable().openapi({ description: "When it arrived." }),
    }),
    messages: z.object({
      waiting: z
        .int()
        .openapi({ description: "Messages to the shop system that were not sent yet." }),
      failed: z.int(),
    }),
    unanswered: z.object({ since: Timestamp, problem: z.string() }).nullable().openapi({
      description:
        "Since when the shop system has not given a valid answer, and the last problem. null if it answers. It is null again after a restart of the service.",
    }),
  })
  .openapi("ShopConnection");

const CodeBody = z
  .object({
    code: z.string().openapi({ description: "For a shop system that knows this Gatehouse." }),
    connect_code: z
      .string()
      .openapi({ description: "The code and the address of this Gatehouse, to paste." }),
    expires_at: Timestamp,
  })
  .openapi("ShopConnectionCode");

const CodeRequest = z
  .object({
    challenge: z.string().regex(CHALLENGE).nullable().default(null).openapi({
      description:
        "For a shop system that has sent the browser here: the `challenge` of its link. Leave it out for a code to paste.",
    }),
  })
  .openapi("ShopConnectionCodeRequest");

const show = siteRoute("get", "/shop-connection", {
  tags: ["Selling"],
  summary: "Show the connection to a shop system",
  answer: json(ConnectionBody, "The connection."),
});

const create = siteRoute("post", "/shop-connection/codes", {
  tags: ["Selling"],
  summary: "Create a code that connects a shop system",
  description:
    "The code works once, within 10 minutes and for at most 5 attempts, and ends the earlier code of the site. Only a shop " +
    "system on the domain of the site can use it. It then decides prices and stock, and can capture and refund payments " +
    "of its orders.",
  body: CodeRequest,
  created: json(CodeBody, "The code. It is shown only once."),
});

const confirm = siteRoute("post", "/shop-connection/confirm-list", {
  tags: ["Selling"],
  summary: "Pause the products that the shop system no longer lists",
  description: "For a full list that leaves out more than half of the products.",
  answer: json(z.object({ paused: z.int() }), "How many products were paused."),
  errors: ["conflict"],
});

const remove = siteRoute("delete", "/shop-connection", {
  tags: ["Selling"],
  summary: "Disconnect the shop system",
  description:
    "Its products are paused until it is connected again, or the owner puts them on sale.",
  noContent: "The shop system was disconnected.",
});

function render({ connection, products, messages, silence }: ConnectionStatus) {
  const { connectionId, system, sells, endpoint, cartLink, synced } = connection;
  return {
    connection_id: connectionId,
    system,
    sells,
    endpoint,
    cart_link: cartLink,
    connected_at: isoTime(connection.connectedAt),
    seen_at: isoTime(connection.seenAt),
    products: {
      ...products,
      problem: syncProblem(connection),
      synced_at: synced && isoTime(synced.at),
    },
    messages,
    unanswered: silence && { since: isoTime(silence.since), problem: silence.problem },
  };
}

export function shopConnectionRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(show, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    return c.json(render(requireOk(await showConnection(context, siteKeyHash))), 200);
  });

  app.openapi(create, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    requireConfirmed(context, c);
    const { challenge } = c.req.valid("json");
    const wanted = { siteKeyHash, challenge };
    const created = requireOk(await createCode(context, c.get("principal"), wanted));
    const { code, connectCode, expiresAt } = created;
    return c.json({ code, connect_code: connectCode, expires_at: isoTime(expiresAt) }, 201);
  });

  app.openapi(confirm, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const paused = requireOk(await confirmMissing(context, siteKeyHash, actorOf(c)));
    return c.json({ paused }, 200);
  });

  app.openapi(remove, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    requireOk(await disconnectShop(context, siteKeyHash, actorOf(c)));
    return c.body(null, 204);
  });
}
