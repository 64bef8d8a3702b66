import {
  AVAILABILITIES,
  PRODUCT_DESCRIPTION_CHARS_MAX,
  PRODUCT_ID_CHARS_MAX,
  PRODUCT_TITLE_CHARS_MAX,
  QUANTITY_MAX,
} from "../../domain/products/product.js";

const text = (maxLength: number, description?: string) => ({
  type: "string" as const,
  maxLength,
  ...(description === undefined ? {} : { description }),
});
const webAddress = {
  type: ["string", "null"] as ("string" | "null")[],
  description: "https only.",
};

/**
 * A product of a shop system, as the OpenAPI document describes it. Messages are not checked by it: each product is
 * read by itself, so that one that is wrong does not keep out the others.
 */
export const SHOP_PRODUCT = {
  type: "object" as const,
  required: ["id", "version", "title", "price", "currency"],
  properties: {
    id: { ...text(PRODUCT_ID_CHARS_MAX), minLength: 1 },
    version: {
      type: "integer" as const,
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "Grows with each change of the product. At most a day ahead, in milliseconds.",
    },
    title: { ...text(PRODUCT_TITLE_CHARS_MAX), minLength: 1 },
    description: text(PRODUCT_DESCRIPTION_CHARS_MAX, "Plain text."),
    price: { type: "string" as const, description: "A decimal number, such as 39.00." },
    currency: { type: "string" as const, pattern: "^[A-Z]{3}$" },
    url: webAddress,
    image_url: webAddress,
    availability: { type: "string" as const, enum: [...AVAILABILITIES] },
    quantity: {
      type: ["integer", "null"] as ("integer" | "null")[],
      minimum: 0,
      maximum: QUANTITY_MAX,
      description: "null if the shop does not count the stock.",
    },
  },
};
