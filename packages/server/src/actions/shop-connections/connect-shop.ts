import { hmacWebhookSecret, ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { stillHolds } from "../../domain/access/still-holds.js";
import { tokenDigest } from "../../domain/access/token-authenticator.js";
import { actorDraft, principalActor, type RecordDraft } from "../../domain/audit/drafts.js";
import {
  type ConnectionCode,
  liveCode,
  takeCode,
} from "../../domain/shop-connections/codes/store.js";
import {
  connectionSecretPlace,
  type ShopConnection,
} from "../../domain/shop-connections/shop-connection.js";
import { siteConnection, writeShopConnection } from "../../domain/shop-connections/store.js";
import { deleteVersions } from "../../domain/shop-products/store.js";
import { deleteShopQuotes } from "../../domain/shop-quotes/store.js";
import type { Site } from "../../domain/sites/site.js";
import { siteByHash } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { newEdgeToken, writeEdgeToken } from "../tokens/issue-edge-token.js";
import { endConnection } from "./end-connection.js";
import { readCartLink, readEndpoint } from "./shop-address.js";
import { takeOverProducts } from "./take-over-products.js";

const SECRET_BYTES = 32;
const EDGE_TOKEN_NAME = "Shop system";

/** What a shop system says of itself when it connects. */
export interface ConnectingShop {
  readonly code: string;
  readonly endpoint: string;
  readonly system: string;
  readonly sells: boolean;
  readonly cartLink: string | null;
}

/** What the shop system needs from then on. The secret and the token are shown only now. */
export interface Connected {
  readonly connection: ShopConnection;
  readonly secret: string;
  readonly edgeToken: string;
  readonly site: Site;
}

type ConnectFault = "unauthorized" | "invalid_request";

const NO_CODE = refuse(
  "unauthorized",
  "The code is not valid. It works once, within an hour. Create another one in the console.",
);

/** Writes a new connection in place of the old one of its site, and returns the records. */
async function replaceConnection(
  context: Context,
  tx: Transaction,
  connection: ShopConnection,
  { createdBy }: ConnectionCode,
): Promise<RecordDraft[]> {
  const { siteKeyHash, connectionId, system, sells, endpoint } = connection;
  const actor = principalActor(createdBy);
  const before = await siteConnection(tx, siteKeyHash);
  const ended = before === undefined ? [] : await endConnection(context, tx, before, actor);
  // Also what a connection has left that ended with a restore.
  await deleteVersions(tx, siteKeyHash);
  await deleteShopQuotes(tx, siteKeyHash);
  await writeShopConnection(tx, connection);
  const { host } = new URL(endpoint);
  const named = {
    connection_id: connectionId,
    system,
    sells,
    host,
    cart_link: connection.cartLink,
  };
  const change = { kind: "shop_connected", ...named };
  return [...ended, actorDraft("site.changed", actor, connection.connectedAt, { change })];
}

/**
 * Connects a shop system to the site that its code was made for. A code works once, and only while the person who
 * made it may still do so. What was connected before stops working at once.
 */
export async function connectShop(
  context: Context,
  { code, system, sells, ...addresses }: ConnectingShop,
): Promise<Result<Connected, ConnectFault>> {
  const { audit, clock, db, ids, secrets, revocations } = context;
  const found = await liveCode(db, tokenDigest(code), clock.now());
  const site = found && (await siteByHash(db, found.siteKeyHash));
  if (found === undefined || site === undefined) return NO_CODE;
  const { siteKeyHash, createdBy } = found;
  const endpoint = await readEndpoint(context, site, addresses.endpoint);
  if (!endpoint.ok) return endpoint;
  const cartLink = await readCartLink(context, site, addresses.cartLink);
  if (!cartLink.ok) return cartLink;
  const connectionId = ids.id("con");
  const secret = hmacWebhookSecret(ids.bytes(SECRET_BYTES));
  const named = { siteKeyHash, name: EDGE_TOKEN_NAME, createdBy: createdBy.id };
  const edge = newEdgeToken(context, named);
  const { answer } = await audit.commit<Result<Connected, ConnectFault>>(
    siteKeyHash,
    async (tx) => {
      const now = clock.now();
      const held = { ...createdBy, role: "owner", sites: [siteKeyHash] } as const;
      const isHeld = await stillHolds(tx, held, now);
      if (!isHeld || !(await takeCode(tx, found.codeHash))) return { records: [], answer: NO_CODE };
      const connection: ShopConnection = {
        siteKeyHash,
        connectionId,
        endpoint: endpoint.value,
        system,
        sells,
        cartLink: cartLink.value,
        sealedSecret: secrets.seal(connectionSecretPlace(connectionId), secret),
        edgeTokenId: edge.stored.tokenId,
        connectedAt: now,
        seenAt: now,
        sync: null,
        synced: null,
      };
      const records = await replaceConnection(context, tx, connection, found);
      records.push(...(await writeEdgeToken(tx, edge, principalActor(createdBy))));
      if (sells) await takeOverProducts(tx, siteKeyHash);
      return { records, answer: ok({ connection, secret, edgeToken: edge.token, site }) };
    },
  );
  await revocations.write();
  return answer;
}
