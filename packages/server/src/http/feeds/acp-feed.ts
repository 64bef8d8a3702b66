import type { PublishedProducts } from "../../actions/products/published-products.js";
import type { Product } from "../../domain/products/product.js";
import { availabilityOf } from "./availability.js";

interface Seller {
  readonly name: string;
  readonly links: readonly { readonly type: string; readonly url: string }[];
}

/** A product of ACP 2026-04-17. Each of ours is the only variant of its own product. */
function acpProduct(product: Product, seller: Seller, condition: string) {
  const { productId: id, title, url, imageUrl, price } = product;
  const status = availabilityOf(product);
  const shown = {
    id,
    title,
    description: { plain: product.description },
    ...(url === null ? {} : { url }),
    ...(imageUrl === null ? {} : { media: [{ type: "image", url: imageUrl, alt_text: title }] }),
  };
  const variant = {
    ...shown,
    price: { amount: price.minor, currency: price.currency },
    availability: { available: status !== "out_of_stock", status },
    condition: [condition],
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
