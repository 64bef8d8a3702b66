import {
  COMPLETE_CHECKOUT,
  ok,
  type PublishedFeed,
  type Result,
  refuse,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Product } from "../../domain/products/product.js";
import {
  offeredByGroup,
  offeredById,
  offeredVersion,
} from "../../domain/products/published/store.js";
import { shopConnection } from "../../domain/shop-connections/store.js";
import type { ShopSettings } from "../../domain/shop-settings/shop-settings.js";
import { shopSettings } from "../../domain/shop-settings/store.js";
import type { Site } from "../../domain/sites/site.js";

/** Products read at once: the memory that a reader of a feed takes. */
const PAGE_PRODUCTS = 200;

/** What a feed is made of. */
export interface PublishedProducts {
  readonly site: Site;
  readonly shop: ShopSettings;
  /** Whether platforms can buy now: the gates are open, and the rules allow some purchase. */
  readonly sellsByCheckout: boolean;
  /** Changes with the products and the settings. */
  readonly version: string;
  /** The products for sale, page by page, with or without the variants of each together. Each call reads them anew. */
  pages(order: keyof typeof READERS): AsyncGenerator<readonly Product[]>;
}

const READERS = { byId: offeredById, byGroup: offeredByGroup } as const;

async function* pagesOf(
  { db }: Context,
  siteKeyHash: string,
  order: keyof typeof READERS,
): AsyncGenerator<readonly Product[]> {
  for (let after: Product | undefined; ; ) {
    const page = await READERS[order](db, siteKeyHash, { after, limit: PAGE_PRODUCTS });
    if (page.length > 0) yield page;
    if (page.length < PAGE_PRODUCTS) return;
    after = page.at(-1);
  }
}

/** The products of a site for one of the feeds that it publishes. */
export async function publishedProducts(
  context: Context,
  siteKeyHash: string,
  feed: PublishedFeed,
): Promise<Result<PublishedProducts, "not_found" | "pending_verification">> {
  const { db, liveSites } = context;
  const live = await liveSites.find(siteKeyHash);
  const site = live?.site;
  if (site?.siteKeyHash !== siteKeyHash) return refuse("not_found", "There is no such site.");
  if (site.status !== "verified") return refuse("pending_verification", site.domain);
  if (!site.publishedFeeds.formats.includes(feed)) {
    return refuse("not_found", "The site does not publish this feed.");
  }
  const settings = await shopSettings(db, siteKeyHash);
  // What delivery costs is then known to the shop system only.
  const isConnected = (await shopConnection(db, siteKeyHash)) !== undefined;
  const shop = isConnected ? { ...settings, shipping: [] } : settings;
  const sellsByCheckout = live?.snapshot.offer.buying.includes(COMPLETE_CHECKOUT) === true;
  const own = JSON.stringify([site.version, shop, sellsByCheckout]);
  const version = `${own} ${await offeredVersion(db, siteKeyHash)}`;
  return ok({
    site,
    shop,
    sellsByCheckout,
    version,
    pages: (order) => pagesOf(context, siteKeyHash, order),
  });
}
