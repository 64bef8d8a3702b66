import type { JsonObject, Money } from "@gatehouse/protocol";
import type { Product } from "../../domain/products/product.js";

const costOf = ({ minor, currency }: Money) => ({ amount: minor, currency });

/** The pictures, the main one first. */
function mediaOf({ title, imageUrl, additionalImageUrls }: Product) {
  const urls = imageUrl === null ? additionalImageUrls : [imageUrl, ...additionalImageUrls];
  const media = urls.map((url) => ({ type: "image", url, alt_text: title }));
  return media.length === 0 ? {} : { media };
}

/** The path of a category in the words of the shop. */
function categoriesOf({ category }: Product) {
  return category === null ? {} : { categories: [{ value: category, taxonomy: "merchant" }] };
}

/** UCP has no members for these: they are the seller's own. */
function metadataOf({ brand, mpn, itemGroupId }: Product) {
  const known = {
    ...(brand === null ? {} : { brand }),
    ...(mpn === null ? {} : { mpn }),
    ...(itemGroupId === null ? {} : { item_group_id: itemGroupId }),
  };
  return Object.keys(known).length === 0 ? {} : { metadata: known };
}

/** A product has one variant: itself. */
export function variantOf(product: Product): JsonObject {
  const {
    productId: id,
    title,
    description,
    price,
    regularPrice,
    url,
    gtin,
    sku,
    options,
  } = product;
  const { availability: status, quantity, reserved } = product;
  const isSoldOut = status === "out_of_stock" || (quantity !== null && quantity - reserved <= 0);
  return {
    id,
    ...(sku === null ? {} : { sku }),
    title,
    description: { plain: description },
    ...(gtin === null ? {} : { barcodes: [{ type: "GTIN", value: gtin }] }),
    ...categoriesOf(product),
    price: costOf(price),
    ...(price.minor === regularPrice.minor ? {} : { list_price: costOf(regularPrice) }),
    ...(url === null ? {} : { url }),
    availability: { available: !isSoldOut, status: isSoldOut ? "out_of_stock" : status },
    ...(options.length === 0
      ? {}
      : { options: options.map(({ name, value: label }) => ({ name, label })) }),
  };
}

/** A product of the catalog. Each variant of a shop is a product with its own id. */
export function productBody(
  product: Product,
  variant: JsonObject = variantOf(product),
): JsonObject {
  const { productId: id, title, description, price, regularPrice, url, options } = product;
  const [cost, listed] = [costOf(price), costOf(regularPrice)];
  return {
    id,
    title,
    description: { plain: description },
    ...(url === null ? {} : { url }),
    ...categoriesOf(product),
    price_range: { min: cost, max: cost },
    ...(cost.amount === listed.amount ? {} : { list_price_range: { min: listed, max: listed } }),
    ...mediaOf(product),
    ...(options.length === 0
      ? {}
      : { options: options.map(({ name, value: label }) => ({ name, values: [{ label }] })) }),
    variants: [variant],
    ...metadataOf(product),
  };
}
