import type { PublishedProducts } from "../../actions/products/published-products.js";
import type { Product } from "../../domain/products/product.js";
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

/** A product of ACP 2026-04-17. Each of ours is the only variant of its own product. */
function acpProduct(product: Product, seller: Seller, condition: string) {
  const { productId: id, title, url, price, regularPrice, gtin, category, options } = product;
  const status = availabilityOf(product);
  const shown = {
    id,
    title,
    description: { plain: product.description },
    ...(url === null ? {} : { url }),
    ...mediaOf(product),
  };
  const variant = {
    ...shown,
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
  return { ...shown, variants: [variant] };
}

/** A feed with one ACP product per line, piece by piece. */
export async function* acpFeed({ site, shop, pages }: PublishedProducts): AsyncGenerator<string> {
  const links = Object.entries(shop.links).map(([type, url]) => ({ type, url }));
  const seller = { name: site.name, links };
  for await (const page of pages()) {
    for (const product of page) {
      yield `${JSON.stringify(acpProduct(product, seller, site.publishedFeeds.condition))}\n`;
    }
  }
}
