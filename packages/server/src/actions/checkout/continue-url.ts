import type { Context } from "../../context.js";
import { pageUrl } from "../../domain/checkouts/checkout.js";
import type { WantedLine } from "../../domain/checkouts/platform.js";
import { shopConnection } from "../../domain/shop-connections/store.js";
import { COUPON, cartLinkTo } from "../../domain/shop-settings/shop-settings.js";
import { shopSettings } from "../../domain/shop-settings/store.js";
import type { Queries } from "../../infra/db/database.js";

/** Something that a person can take over: a cart or a checkout. */
interface Continued {
  readonly siteKeyHash: string;
  readonly pageId: string;
  readonly lines: readonly WantedLine[];
  /** Discount codes that the shop accepts. */
  readonly codes?: readonly string[];
}

/** Where a person goes on. */
interface Continuation {
  readonly url: string;
  /** Discount codes that have no effect there until the person enters them. */
  readonly codesToEnter: readonly string[];
}

/** Where a person goes on with a cart or a checkout: the shop's own cart if there is a link to it, or our page. */
export async function continueUrl(
  { config }: Pick<Context, "config">,
  db: Queries,
  { lines, codes = [], ...page }: Continued,
): Promise<Continuation> {
  const { siteKeyHash } = page;
  const set = (await shopSettings(db, siteKeyHash)).cartLink;
  const cartLink = set ?? (await shopConnection(db, siteKeyHash))?.cartLink ?? null;
  const [only, ...others] = codes;
  // Links into carts take one code.
  const isCarried = only !== undefined && others.length === 0 && cartLink?.includes(COUPON);
  const own = cartLink === null ? undefined : cartLinkTo(cartLink, lines, isCarried ? only : null);
  if (own === undefined) return { url: pageUrl(config, page), codesToEnter: [] };
  return { url: own, codesToEnter: isCarried ? [] : codes };
}
