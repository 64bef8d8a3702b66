import { ok, type Result, siteAddresses } from "@gatehouse/protocol";
import type { Silence } from "../../connectors/connector.js";
import type { Context } from "../../context.js";
import { countShopMessages } from "../../domain/outbox/store.js";
import { countListed } from "../../domain/products/feed/store.js";
import { countProducts } from "../../domain/products/store.js";
import type { ShopConnection } from "../../domain/shop-connections/shop-connection.js";
import { siteConnection } from "../../domain/shop-connections/store.js";
import type { Site } from "../../domain/sites/site.js";
import { siteByHash } from "../../domain/sites/store.js";
import { type Obstacle, obstaclesOf } from "../sites/offer.js";
import { NO_CONNECTION } from "./end-connection.js";

/** More messages than this are not counted. */
const MESSAGES_COUNTED_MAX = 1000;

/** How a connection is doing. */
export interface ConnectionStatus {
  readonly connection: ShopConnection;
  readonly site: Site;
  readonly agentPage: string;
  /** Products that the shop system lists, and others that the site has. */
  readonly products: { readonly listed: number; readonly paused: number };
  readonly messages: { readonly waiting: number; readonly failed: number };
  /** Null if the shop system answers, as far as this process knows. */
  readonly silence: Silence | null;
  /** Why agents cannot buy; empty if they can. */
  readonly obstacles: readonly Obstacle[];
}

/** Shows a connection with what its owner has to know, in the console and in the shop system. */
export async function showConnection(
  { config, db, policies, shopSystem }: Context,
  siteKeyHash: string,
): Promise<Result<ConnectionStatus, "not_found">> {
  const connection = await siteConnection(db, siteKeyHash);
  const site = await siteByHash(db, siteKeyHash);
  if (connection === undefined || site === undefined) return NO_CONNECTION;
  const listed = await countListed(db, siteKeyHash);
  const total = await countProducts(db, siteKeyHash);
  return ok({
    connection,
    site,
    agentPage: siteAddresses(config.baseUrl, site).agentPage,
    products: { listed, paused: total - listed },
    messages: await countShopMessages(db, siteKeyHash, MESSAGES_COUNTED_MAX),
    silence: shopSystem.silenceOf(connection.connectionId) ?? null,
    obstacles: await obstaclesOf(db, policies, site),
  });
}

/** What an owner reads about the last full list of products; null if it was taken over whole. */
export function syncProblem({ synced }: ShopConnection): string | null {
  if (synced === null || synced.unconfirmed === 0) return null;
  return (
    `The last full list leaves out ${synced.unconfirmed} products, more than half of all. ` +
    "They were not paused. If your shop no longer sells them, pause them in the console."
  );
}
