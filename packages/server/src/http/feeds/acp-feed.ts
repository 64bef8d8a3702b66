import type { PublishedProducts } from "../../actions/products/published-products.js";
import { groupOf, type Product } from "../../domain/products/product.js";
import { availabilityOf } from "./availability.js";

interface Seller {
  readonly name: string;
  readonly links: readonly { readonly type: string; readonly url: string }[];
}

/** The pictures of a product, the main one first. */
function mediaOf({ title, imageUrl, additionalImageUrls }: Product) {
  const urls = imageUrl === null ? additionalImageUrls : [imageUrl, ...additionalImageUrls];
  const media = urls.map((url) => ({ type: "image", url, alt_text: title }));
  return media.length === 0 ? {} : { media };
}

/** What products and variants of ACP 2026-04-17 have in common. */
function shownOf(product: Product) {
  const { url, description } = product;
  return {
    description: { plain: description },
    ...(url === null ? {} : { url }),
    ...mediaOf(product),
  };
}

function variantOf(product: Product, seller: Seller, condition: string) {
  const { productId: id, title, price, regularPrice, gtin, category, options } = product;
  const status = availabilityOf(product);
  return {
    id,
    title,
    ...shownOf(product),
    ...(gtin === null ? {} : { barcodes: [{ type: "GTIN", value: gtin }] }),
    price: { amount: price.minor, currency: price.currency },
    ...(price.minor === regularPrice.minor
      ? {}
      : { list_price: { amount: regularPrice.minor, currency: regularPrice.currency } }),
    availability: { available: status !== "out_of_stock", status },
    ...(category === null ? {} : { categories: [{ value: category, taxonomy: "merchant" }] }),
    condition: [condition],
    ...(options.length === 0
      ? {}
      : { variant_options: options.map(({ name, value }) => ({ name, value })) }),
    seller,
  };
}

/** The product whose variants are being written. */
interface OpenProduct {
  readonly id: string;
  readonly first: Product;
  /** The words that the titles of all variants so far begin with. */
  readonly words: readonly string[];
}

/** Between the title of a product and what shops append for a variant: `Tee – Red / M`. */
const SEPARATORS = /[\s\-–—,:;/|(]+$/u;

/** The members of a product that follow its variants. */
function endOf({ first, words }: OpenProduct): string {
  const common = words.join(" ");
  const isWhole = common === first.title;
  const title = isWhole ? common : common.replace(SEPARATORS, "") || first.title;
  return `],${JSON.stringify({ title, ...shownOf(first) }).slice(1)}\n`;
}

function withVariant(open: OpenProduct, { title }: Product): OpenProduct {
  const others = title.split(" ");
  const end = open.words.findIndex((word, place) => word !== others[place]);
  return { ...open, words: end < 0 ? open.words : open.words.slice(0, end) };
}

/**
 * A feed with one ACP product per line, piece by piece. The variants of a product are written as they are read, so that
 * no number of them fills the memory.
 */
export async function* acpFeed({ site, shop, pages }: PublishedProducts): AsyncGenerator<string> {
  const links = Object.entries(shop.links).map(([type, url]) => ({ type, url }));
  const seller = { name: site.name, links };
  let open: OpenProduct | undefined;
  for await (const page of pages("byGroup")) {
    for (const product of page) {
      const variant = JSON.stringify(variantOf(product, seller, site.publishedFeeds.condition));
      const id = groupOf(product);
      if (open?.id === id) {
        open = withVariant(open, product);
        yield `,${variant}`;
        continue;
      }
      if (open !== undefined) yield endOf(open);
      open = { id, first: product, words: product.title.split(" ") };
      yield `{"id":${JSON.stringify(id)},"variants":[${variant}`;
    }
  }
  if (open !== undefined) yield endOf(open);
}
