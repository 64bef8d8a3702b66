import { formatAmount, type Money, siteOrigin } from "@gatehouse/protocol";
import type { PublishedProducts } from "../../actions/products/published-products.js";
import type { Product } from "../../domain/products/product.js";
import type { ShopSettings } from "../../domain/shop-settings/shop-settings.js";
import { isoTime } from "../../infra/clock.js";
import { availabilityOf } from "./availability.js";

/** Google reads at most this many shipping prices of a product. */
const SHIPPING_MAX = 100;

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Text for XML 1.0, without the two characters that it cannot contain and products can. */
function escapeXml(text: string): string {
  return text
    .replaceAll(/[\ufffe\uffff]/g, "")
    .replaceAll(/[&<>"]/g, (mark) => ESCAPES[mark] as string);
}

const element = (name: string, text: string) => `<g:${name}>${escapeXml(text)}</g:${name}>`;

/** The shipping prices in one currency, as elements. */
function shippingIn({ shipping }: ShopSettings, currency: string): string {
  const elements = shipping.flatMap(({ countries, options }) =>
    countries
      .filter((country) => country !== "*")
      .flatMap((country) =>
        options.flatMap(({ title, prices, days }) => {
          const price = prices[currency];
          if (price === undefined) return [];
          const parts = [
            element("country", country),
            element("service", title),
            element("price", `${price} ${currency}`),
            ...(days === undefined
              ? []
              : [
                  element("min_transit_time", String(days[0])),
                  element("max_transit_time", String(days[1])),
                ]),
          ];
          return [`<g:shipping>${parts.join("")}</g:shipping>`];
        }),
      ),
  );
  return elements.slice(0, SHIPPING_MAX).join("");
}

const amount = ({ minor, currency }: Money) => `${formatAmount({ minor, currency })} ${currency}`;

/**
 * The price without a sale, and the sale. Google wants both ends of a sale that begins later. One without an end is
 * named while it lasts.
 */
function pricesOf({ price, regularPrice, sale, changedAt }: Product): readonly string[] {
  const regular = element("price", amount(regularPrice));
  const isOnSale = price.minor === sale?.minor;
  if (sale === null || (sale.until === null && !isOnSale)) return [regular];
  const lower = element("sale_price", amount({ minor: sale.minor, currency: price.currency }));
  if (sale.until === null) return [regular, lower];
  // A sale that has begun needs a beginning too: any time that has passed.
  const range = [sale.from ?? Math.min(changedAt, sale.until - 1), sale.until].map(isoTime);
  return [regular, lower, element("sale_price_effective_date", range.join("/"))];
}

/** Google's own names of options. */
const OPTIONS: ReadonlyMap<string, string> = new Map([
  ["color", "color"],
  ["colour", "color"],
  ["size", "size"],
  ["material", "material"],
  ["pattern", "pattern"],
]);

function optionsOf({ options }: Product): readonly string[] {
  const written = new Set<string>();
  return options.map(({ name, value }) => {
    const known = OPTIONS.get(name.toLowerCase());
    if (known !== undefined && !written.has(known)) {
      written.add(known);
      return element(known, value);
    }
    const parts = [element("attribute_name", name), element("attribute_value", value)];
    return `<g:product_detail>${parts.join("")}</g:product_detail>`;
  });
}

/**
 * What identifies a product: its GTIN, or its brand with the manufacturer's number. Only the owner can say that a
 * product has neither. Google wants no `identifier_exists` if the identifiers exist, but are not known here.
 */
function identifiersOf({ brand, gtin, mpn, identifierExists }: Product): readonly string[] {
  const isKnown = gtin !== null || (brand !== null && mpn !== null);
  return [
    ...(brand === null ? [] : [element("brand", brand)]),
    ...(gtin === null ? [] : [element("gtin", gtin)]),
    ...(mpn === null ? [] : [element("mpn", mpn)]),
    ...(isKnown || identifierExists !== false ? [] : [element("identifier_exists", "no")]),
  ];
}

/**
 * Google refuses a `preorder` or `backorder` without the day from which the product can be sent, and products here have
 * no such day.
 */
function googleAvailability(product: Product): "in_stock" | "out_of_stock" {
  return availabilityOf(product) === "in_stock" ? "in_stock" : "out_of_stock";
}

/** What all products of a feed share. */
interface Terms {
  readonly condition: string;
  readonly shipping: string;
  readonly sellsByCheckout: boolean;
}

/** Whether Google's agents may buy a product. Google lets them buy only what is new and in stock. */
function eligibility(product: Product, { condition, sellsByCheckout }: Terms): readonly string[] {
  const isBuyable = condition === "new" && googleAvailability(product) === "in_stock";
  if (!sellsByCheckout || !isBuyable) return [];
  return [`<g:native_commerce>${element("checkout_eligibility", "true")}</g:native_commerce>`];
}

function item(product: Product, terms: Terms): string {
  const { url, imageUrl, category, itemGroupId } = product;
  return [
    "<item>",
    element("id", product.productId),
    element("title", product.title),
    element("description", product.description),
    ...(url === null ? [] : [element("link", url)]),
    ...(imageUrl === null ? [] : [element("image_link", imageUrl)]),
    ...product.additionalImageUrls.map((image) => element("additional_image_link", image)),
    element("availability", googleAvailability(product)),
    ...pricesOf(product),
    element("condition", terms.condition),
    ...identifiersOf(product),
    ...(category === null ? [] : [element("product_type", category)]),
    ...(itemGroupId === null ? [] : [element("item_group_id", itemGroupId)]),
    ...optionsOf(product),
    ...eligibility(product, terms),
    terms.shipping,
    "</item>\n",
  ].join("");
}

/** A feed with Google's attributes (RSS 2.0), piece by piece. */
export async function* googleFeed({
  site,
  shop,
  sellsByCheckout,
  pages,
}: PublishedProducts): AsyncGenerator<string> {
  const { name, domain } = site;
  const { condition } = site.publishedFeeds;
  const description = site.description === "" ? name : site.description;
  yield '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0">\n<channel>\n' +
    `<title>${escapeXml(name)}</title>\n<link>${escapeXml(siteOrigin(domain))}</link>\n` +
    `<description>${escapeXml(description)}</description>\n`;
  const shipping = new Map<string, string>();
  for await (const page of pages("byId")) {
    for (const product of page) {
      const { currency } = product.price;
      const known = shipping.get(currency) ?? shippingIn(shop, currency);
      shipping.set(currency, known);
      yield item(product, { condition, shipping: known, sellsByCheckout });
    }
  }
  yield "</channel>\n</rss>\n";
}
