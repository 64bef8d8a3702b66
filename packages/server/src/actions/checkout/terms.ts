import { hash } from "node:crypto";
import {
  type JsonObject,
  type Signer,
  signTerms,
  siteAddresses,
  siteTerms,
} from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Checkout } from "../../domain/checkouts/checkout.js";
import { writePolicies } from "../../domain/checkouts/store.js";
import type { ShopSettings } from "../../domain/shop-settings/shop-settings.js";
import { agreedTerms, shopSettings, storeTerms } from "../../domain/shop-settings/store.js";
import type { Site } from "../../domain/sites/site.js";
import type { Queries, Transaction } from "../../infra/db/database.js";

/** A shop whose terms are shown, and the key that signs them. */
export interface TermsSigner {
  readonly site: Site;
  readonly signer: Signer;
}

/** The terms of a shop as they are now, and the address where this text stays. */
function termsOf({ config }: Context, site: Site, { terms: own }: ShopSettings) {
  const terms = siteTerms(site, own);
  const sha256 = hash("sha256", terms.text, "hex");
  const url = `${siteAddresses(config.baseUrl, site).terms}/${sha256}`;
  return { ...terms, sha256, url };
}

/** What every answer about buying carries: the signed terms of the shop, and its own pages. */
export async function signedTerms(
  context: Context,
  db: Queries,
  { site, signer }: TermsSigner,
): Promise<{ readonly policies: JsonObject[]; readonly links: JsonObject[] }> {
  const settings = await shopSettings(db, site.siteKeyHash);
  const terms = termsOf(context, site, settings);
  const policy = await signTerms(terms, terms.url, signer);
  const pages = { terms_of_service: terms.url, ...settings.links };
  return {
    policies: [policy],
    links: Object.entries(pages).map(([type, page]) => ({ type, url: page })),
  };
}

/**
 * Stores the terms that a checkout is shown under. The text stays as long as the site does, and an
 * order that comes of the checkout carries the signature.
 */
export async function storeShownTerms(
  context: Context,
  tx: Transaction,
  { site, signer }: TermsSigner,
  checkout: Checkout,
): Promise<void> {
  const terms = termsOf(context, site, await shopSettings(tx, site.siteKeyHash));
  const { sha256, text } = terms;
  if (checkout.policies[0]?.sha256 === sha256) return;
  await storeTerms(tx, site.siteKeyHash, { sha256, text, now: context.clock.now() });
  // An order that was made under other terms keeps those.
  if (checkout.status !== "open" && checkout.status !== "completing") return;
  await writePolicies(tx, { ...checkout, policies: [await signTerms(terms, terms.url, signer)] });
}

/** The same for a checkout that is only read: a later payment agrees to the terms that it shows. */
export async function storeReadTerms(
  context: Context,
  shop: TermsSigner,
  checkout: Checkout,
): Promise<void> {
  if (checkout.status !== "open") return;
  const settings = await shopSettings(context.db, shop.site.siteKeyHash);
  if (checkout.policies[0]?.sha256 === termsOf(context, shop.site, settings).sha256) return;
  await context.db.shortTransaction((tx) => storeShownTerms(context, tx, shop, checkout));
}

/** The text with a digest, or the current one; undefined if no buyer was ever shown it. */
export async function termsText(
  context: Context,
  site: Site,
  sha256: string | undefined,
): Promise<string | undefined> {
  const { db } = context;
  const current = termsOf(context, site, await shopSettings(db, site.siteKeyHash));
  if (sha256 === undefined || sha256 === current.sha256) return current.text;
  return agreedTerms(db, site.siteKeyHash, sha256);
}

/**
 * The pages of a shop that a buyer reads before ordering: its terms as they are now, with the way back to the page
 * of the checkout, and its own links.
 */
export async function termsLinks(
  context: Context,
  site: Site,
  { pageId }: Pick<Checkout, "pageId">,
): Promise<{ readonly terms: string; readonly links: ShopSettings["links"] }> {
  const settings = await shopSettings(context.db, site.siteKeyHash);
  const { url } = termsOf(context, site, settings);
  return { terms: `${url}?page=${pageId}`, links: settings.links };
}

/** Where a shop delivers, or has taxes: countries by their codes, or every country. */
export async function servedCountries(
  context: Context,
  site: Site,
): Promise<{ readonly asks: boolean; readonly countries: readonly string[] | "all" }> {
  const { shipping, taxes } = await shopSettings(context.db, site.siteKeyHash);
  if (shipping.length === 0) return { asks: taxes.length > 0, countries: "all" };
  const countries = shipping.flatMap((zone) => zone.countries);
  return { asks: true, countries: countries.includes("*") ? "all" : countries };
}
