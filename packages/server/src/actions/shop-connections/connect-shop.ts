import { hash } from "node:crypto";
import { hmacWebhookSecret, ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { stillHolds } from "../../domain/access/still-holds.js";
import { tokenDigest } from "../../domain/access/token-authenticator.js";
import { actorDraft, principalActor, type RecordDraft } from "../../domain/audit/drafts.js";
import {
  type ConnectionCode,
  liveCode,
  takeCode,
  tryCode,
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
  /** What the shop system kept when it asked for the code; null for a code that an owner pasted. */
  readonly verifier: string | null;
  /** The SHA-256 of what its endpoint answers, as proof that the shop itself is connecting. */
  readonly challenge: string;
  readonly endpoint: string;
  readonly system: string;
  readonly sells: boolean;
  readonly cartLink: string | null;
}

/** What the shop system needs from then on. The secret and the token are shown only now. */
export interface ShopConnected {
  readonly connection: ShopConnection;
  readonly secret: string;
  readonly edgeToken: string;
  readonly site: Site;
}

type ConnectFault = "unauthorized" | "invalid_request";

const NO_CODE = refuse(
  "unauthorized",
  "The code is not valid. It works once, within 10 minutes. Create another one in the console.",
);

/** A code of a link is for the shop system that made the link. No other code may be passed off as one. */
function isVerified({ challenge }: ConnectionCode, verifier: string | null): boolean {
  return challenge === (verifier === null ? null : hash("sha256", verifier, "base64url"));
}

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

interface Admitted {
  readonly connectionCode: ConnectionCode;
  readonly site: Site;
  readonly endpoint: string;
  readonly cartLink: string | null;
}

/**
 * Checks a code and who uses it: the shop system that asked for it, whose endpoint on the site's own domain proves that
 * it is connecting now. Somebody else who has seen the code gets nothing for it.
 */
async function admit(
  context: Context,
  { code, verifier, challenge, ...addresses }: ConnectingShop,
): Promise<Result<Admitted, ConnectFault>> {
  const { clock, db, shopSystem } = context;
  const connectionCode = await liveCode(db, tokenDigest(code), clock.now());
  const site = connectionCode && (await siteByHash(db, connectionCode.siteKeyHash));
  if (connectionCode === undefined || site === undefined) return NO_CODE;
  if (!(await tryCode(db, connectionCode.codeHash)) || !isVerified(connectionCode, verifier))
    return NO_CODE;
  const endpoint = await readEndpoint(context, site, addresses.endpoint);
  if (!endpoint.ok) return endpoint;
  const cartLink = await readCartLink(context, site, addresses.cartLink);
  if (!cartLink.ok) return cartLink;
  const proven = await shopSystem.prove(endpoint.value, challenge);
  if (!proven.ok) {
    const detail = `endpoint: did not prove that it is connecting: ${proven.detail}.`;
    return refuse("invalid_request", detail);
  }
  return ok({ connectionCode, site, endpoint: endpoint.value, cartLink: cartLink.value });
}

/**
 * Connects a shop system to the site that its code was made for. A code works once, and only while the person who
 * made it may still do so. What was connected before stops working at once.
 */
export async function connectShop(
  context: Context,
  shop: ConnectingShop,
): Promise<Result<ShopConnected, ConnectFault>> {
  const { audit, clock, ids, secrets, revocations } = context;
  const admitted = await admit(context, shop);
  if (!admitted.ok) return admitted;
  const { connectionCode, site, endpoint, cartLink } = admitted.value;
  const { siteKeyHash, createdBy } = connectionCode;
  const { system, sells } = shop;
  const connectionId = ids.id("con");
  const secret = hmacWebhookSecret(ids.bytes(SECRET_BYTES));
  const named = { siteKeyHash, name: EDGE_TOKEN_NAME, createdBy: createdBy.id };
  const edge = newEdgeToken(context, named);
  const { answer } = await audit.commit<Result<ShopConnected, ConnectFault>>(
    siteKeyHash,
    async (tx) => {
      const now = clock.now();
      const held = { ...createdBy, role: "owner", sites: [siteKeyHash] } as const;
      const isHeld = await stillHolds(tx, held, now);
      if (!isHeld || !(await takeCode(tx, connectionCode.codeHash)))
        return { records: [], answer: NO_CODE };
      const connection: ShopConnection = {
        siteKeyHash,
        connectionId,
        endpoint,
        system,
        sells,
        cartLink,
        sealedSecret: secrets.seal(connectionSecretPlace(connectionId), secret),
        edgeTokenId: edge.stored.tokenId,
        connectedAt: now,
        seenAt: now,
        sync: null,
        synced: null,
      };
      const records = await replaceConnection(context, tx, connection, connectionCode);
      records.push(...(await writeEdgeToken(tx, edge, principalActor(createdBy))));
      if (sells) await takeOverProducts(tx, siteKeyHash);
      return { records, answer: ok({ connection, secret, edgeToken: edge.token, site }) };
    },
  );
  await revocations.write();
  return answer;
}
