import { connectShop } from "../../actions/shop-connections/connect-shop.js";
import { disconnectShop } from "../../actions/shop-connections/end-connection.js";
import {
  type ConnectionStatus,
  showConnection,
  syncProblem,
} from "../../actions/shop-connections/show-connection.js";
import { takeOrderChange } from "../../actions/shop-connections/take-order-change.js";
import { takeProducts } from "../../actions/shop-connections/take-products.js";
import { isNews, updateConnection } from "../../actions/shop-connections/update-connection.js";
import { verifySite } from "../../actions/sites/verify-site.js";
import type { Context } from "../../context.js";
import { shopActor } from "../../domain/audit/drafts.js";
import { isNewList } from "../../domain/shop-connections/shop-connection.js";
import { findSite } from "../../domain/sites/live-sites.js";
import type { Site } from "../../domain/sites/site.js";
import { LocalLimiter } from "../../infra/rate-limit/local.js";
import { UNREAD_REST } from "../server/body.js";
import { group, type Handler, json, post, type RouteGroup } from "../server/exchange.js";
import { readJsonBytes } from "../server/json-body.js";
import { requireFound, requireNoWait } from "../server/problem.js";
import { requireOk } from "../server/require-ok.js";
import { timeOrNull } from "../server/schemas.js";
import {
  ConnectMessage,
  changeOf,
  OrderChangeMessage,
  ProductsMessage,
  StatusMessage,
} from "./messages.js";
import { MESSAGE_BYTES_MAX, readMessage, requireMessage, signedAnswer } from "./signed-message.js";

/** Messages of one connection. A shop with 100,000 products sends its full list in 200. */
const MESSAGES = { perMinute: 600, burst: 600 };
/**
 * Times that the shop system of one site says something new of itself, or has its domain verified. Each is recorded, and
 * some go through all products.
 */
const DESCRIPTIONS = { perMinute: 6, burst: 30 };
/** Full lists that one site begins. Each of them goes through all products at its end. */
const FULL_LISTS = { perMinute: 1, burst: 20 };

const siteBody = ({ domain, siteKey, siteKeyHash, status, verification }: Site) => ({
  domain,
  site_key: siteKey,
  site_key_hash: siteKeyHash,
  status,
  verification_token: verification.token,
});

function statusBody({ connection, site, agentPage, ...counts }: ConnectionStatus) {
  const { products, messages, obstacles } = counts;
  return {
    type: "status.answer",
    site: { domain: site.domain, status: site.status },
    products: {
      ...products,
      synced_at: timeOrNull(connection.synced?.at ?? null),
      problem: syncProblem(connection),
    },
    selling: { open: obstacles.length === 0, problems: obstacles.map(({ advice }) => advice) },
    messages,
    agent_page: agentPage,
  };
}

function connectionHandlers(
  context: Context,
): Readonly<Record<"connect" | "products" | "orders" | "status", Handler>> {
  const { admission, clock, db } = context;
  const limiter = new LocalLimiter(MESSAGES);
  const fullLists = new LocalLimiter(FULL_LISTS);
  const descriptions = new LocalLimiter(DESCRIPTIONS);
  return {
    connect: async ({ caller, request }) => {
      requireNoWait(admission.takeCostly(caller), UNREAD_REST);
      const bytes = await readJsonBytes(context, request, MESSAGE_BYTES_MAX);
      const { cart_link: cartLink, type: _, ...shop } = readMessage(ConnectMessage, bytes);
      const result = await connectShop(context, { ...shop, cartLink });
      if (!result.ok && result.reason === "unauthorized") admission.failProof(caller);
      const { connection, secret, edgeToken, site } = requireOk(result);
      return json(201, {
        type: "connect.answer",
        connection_id: connection.connectionId,
        secret,
        site: siteBody(site),
        edge_token: edgeToken,
      });
    },

    products: async (exchange) => {
      const message = await requireMessage(context, exchange, limiter);
      const { type: _, ...products } = readMessage(ProductsMessage, message.bytes);
      if (products.sync !== null && isNewList(message.connection, products.sync.id)) {
        requireNoWait(fullLists.take(message.connection.siteKeyHash, clock.now()));
      }
      const taken = await takeProducts(context, message.connection, products);
      return signedAnswer(context, message, { type: "products.answer", ...taken });
    },

    orders: async (exchange) => {
      const message = await requireMessage(context, exchange, limiter);
      const body = readMessage(OrderChangeMessage, message.bytes);
      const { event_id: eventId, order_id: orderId } = body;
      const event = { eventId, orderId, change: changeOf(body.change) };
      const taken = await takeOrderChange(context, message.connection, event);
      const { outcome, revision } = requireOk(taken);
      return signedAnswer(context, message, { type: "order.change.answer", ...outcome, revision });
    },

    status: async (exchange) => {
      const message = await requireMessage(context, exchange, limiter);
      const { connection } = message;
      const { siteKeyHash, connectionId } = connection;
      const { verify, disconnect, ...described } = readMessage(StatusMessage, message.bytes);
      const site = requireFound(await findSite(db, siteKeyHash, "hash"));
      const { system, sells, cart_link: cartLink } = described;
      const description = { system, sells, cartLink };
      if (verify || isNews(connection, description)) {
        requireNoWait(descriptions.take(siteKeyHash, clock.now()));
      }
      requireOk(await updateConnection(context, connection, site, description));
      const actor = shopActor(connectionId);
      if (verify) {
        const proof = { method: "file", reason: null } as const;
        requireOk(await verifySite(context, siteKeyHash, proof, actor));
      }
      const status = requireOk(await showConnection(context, siteKeyHash));
      if (disconnect) requireOk(await disconnectShop(context, siteKeyHash, actor, connectionId));
      return signedAnswer(context, message, statusBody(status));
    },
  };
}

const CONNECTION = "/v1/connections/:connection{con_[\\w-]+}";

/** What shop systems send to Gatehouse. */
export function connectionGroup(context: Context): RouteGroup {
  const { connect, products, orders, status } = connectionHandlers(context);
  return group({ name: "connections", cors: "none" }, [
    post("/v1/connections", connect),
    post(`${CONNECTION}/products`, products),
    post(`${CONNECTION}/orders`, orders),
    post(`${CONNECTION}/status`, status),
  ]);
}
