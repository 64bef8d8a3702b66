import { ok, type Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { actorDraft, shopActor } from "../../domain/audit/drafts.js";
import type { ShopConnection } from "../../domain/shop-connections/shop-connection.js";
import { siteConnection, writeShopConnection } from "../../domain/shop-connections/store.js";
import type { Site } from "../../domain/sites/site.js";
import { readCartLink } from "./shop-address.js";
import { pauseOfShop, takeOverProducts } from "./take-over-products.js";

/** What a shop system says of itself now. What it leaves out stays. */
export interface ShopDescription {
  readonly system?: string | undefined;
  readonly sells?: boolean | undefined;
  readonly cartLink?: string | null | undefined;
}

/** A connection as its shop system describes it now. */
function describedAs(connection: ShopConnection, described: ShopDescription) {
  const { system = connection.system, sells = connection.sells } = described;
  const link = described.cartLink === undefined ? connection.cartLink : described.cartLink;
  return { system, sells, link };
}

/** Whether a description says something new. */
export function isNews(connection: ShopConnection, described: ShopDescription): boolean {
  const { system, sells, link } = describedAs(connection, described);
  const { cartLink } = connection;
  return system !== connection.system || sells !== connection.sells || link !== cartLink;
}

/** Takes over what has changed in a shop system, such as its version, or that it sells from now on. */
export async function updateConnection(
  context: Context,
  connection: ShopConnection,
  site: Site,
  described: ShopDescription,
): Promise<Result<null, "invalid_request">> {
  const { audit, clock } = context;
  const { siteKeyHash, connectionId } = connection;
  if (!isNews(connection, described)) return ok(null);
  const { system, sells, link } = describedAs(connection, described);
  const cartLink =
    link === connection.cartLink ? ok(link) : await readCartLink(context, site, link);
  if (!cartLink.ok) return cartLink;
  await audit.commit(siteKeyHash, async (tx) => {
    const before = await siteConnection(tx, siteKeyHash);
    if (before?.connectionId !== connectionId) return { records: [], answer: null };
    await writeShopConnection(tx, { ...before, system, sells, cartLink: cartLink.value });
    const now = clock.now();
    if (sells && !before.sells) await takeOverProducts(tx, siteKeyHash);
    if (!sells && before.sells) await pauseOfShop(tx, siteKeyHash, now);
    const change = { kind: "shop_changed", system, sells, cart_link: cartLink.value };
    const record = actorDraft("site.changed", shopActor(connectionId), now, { change });
    return { records: [record], answer: null };
  });
  return ok(null);
}
