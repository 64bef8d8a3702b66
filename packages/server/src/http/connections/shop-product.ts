import {
  BRAND_CHARS_MAX,
  CATEGORY_CHARS_MAX,
  GROUP_ID_CHARS_MAX,
  MORE_IMAGES_MAX,
  MPN_CHARS_MAX,
  OPTION_VALUE_CHARS_MAX,
  OPTIONS_MAX,
  SKU_CHARS_MAX,
} from "../../domain/products/details.js";
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

const time = (description: string) => ({
  type: ["string", "null"] as ("string" | "null")[],
  format: "date-time",
  description,
});
const orNull = (maxLength: number, description: string) => ({
  type: ["string", "null"] as ("string" | "null")[],
  maxLength,
  description,
});

/** What helps to recognize a product. */
const DETAILS = {
  brand: orNull(BRAND_CHARS_MAX, "The name of the brand."),
  gtin: {
    type: ["string", "null"] as ("string" | "null")[],
    pattern: "^(\\d{8}|\\d{12,14})$",
    description: "The number under the barcode, with its check digit.",
  },
  mpn: orNull(MPN_CHARS_MAX, "The manufacturer's number."),
  sku: orNull(SKU_CHARS_MAX, "The shop's own stock number (SKU)."),
  identifier_exists: {
    type: ["boolean", "null"] as ("boolean" | "null")[],
    description: "false: it has no GTIN, and its brand or MPN is missing. null: not known.",
  },
  category: orNull(CATEGORY_CHARS_MAX, "A path, such as Garden > Flowers."),
  additional_image_urls: {
    type: ["array", "null"] as ("array" | "null")[],
    maxItems: MORE_IMAGES_MAX,
    items: { type: "string" as const, description: "https only." },
  },
  item_group_id: orNull(GROUP_ID_CHARS_MAX, "The same for all variants of a product."),
  options: {
    type: ["object", "null"] as ("object" | "null")[],
    maxProperties: OPTIONS_MAX,
    additionalProperties: text(OPTION_VALUE_CHARS_MAX),
    description: 'What distinguishes this variant, such as {"Color": "Red"}.',
  },
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
    price: {
      type: "string" as const,
      description: "The regular price: a decimal number, such as 39.00.",
    },
    sale_price: {
      type: ["string", "null"] as ("string" | "null")[],
      description: "A lower price in the same currency. Without it there is no sale.",
    },
    sale_from: time("When the sale begins. Without it, the sale has begun."),
    sale_until: time(
      "When the sale ends. Without it, the sale ends when you send the product again.",
    ),
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
    ...DETAILS,
  },
};
