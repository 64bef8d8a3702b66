import { formatAmount } from "../../money/amount.js";
import { showsPicture } from "../addresses.js";
import type { OfferedProduct } from "../offered-product.js";

const AVAILABILITY = {
  in_stock: "InStock",
  out_of_stock: "OutOfStock",
  preorder: "PreOrder",
  backorder: "BackOrder",
} as const;

type Node = Readonly<Record<string, unknown>>;

function offer({ price, url, availability }: OfferedProduct, seller: Node): Node {
  return {
    "@type": "Offer",
    price: formatAmount(price),
    priceCurrency: price.currency,
    ...(availability && { availability: `https://schema.org/${AVAILABILITY[availability]}` }),
    ...(url !== null && { url }),
    seller,
  };
}

interface Shop {
  readonly id: string;
  readonly seller: Node;
  readonly baseUrl: string;
}

function productNode(product: OfferedProduct, { seller, baseUrl }: Shop): Node {
  const { id, title, url, imageUrl, brand, gtin, mpn, sku } = product;
  return {
    "@type": "Product",
    // Without a number of the shop, the id is the only one.
    ...(sku ? { productID: id, sku } : { sku: id }),
    name: title,
    ...(url !== null && { url }),
    ...(showsPicture(baseUrl, imageUrl) && { image: imageUrl }),
    ...(brand && { brand: { "@type": "Brand", name: brand } }),
    ...(gtin && { gtin }),
    ...(mpn && { mpn }),
    offers: offer(product, seller),
  };
}

/** The products of the page in the words of schema.org, as search engines read them; empty if there are none. */
export function productData(products: readonly OfferedProduct[], shop: Shop): readonly Node[] {
  if (products.length === 0) return [];
  const itemListElement = products.map((product, place) => ({
    "@type": "ListItem",
    position: place + 1,
    item: productNode(product, shop),
  }));
  return [{ "@type": "ItemList", "@id": shop.id, itemListElement }];
}
