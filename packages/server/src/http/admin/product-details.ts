import { z } from "@hono/zod-openapi";
import {
  BRAND_CHARS_MAX,
  CATEGORY_CHARS_MAX,
  GROUP_ID_CHARS_MAX,
  listedDetails,
  MORE_IMAGES_MAX,
  MPN_CHARS_MAX,
  OPTION_NAME_CHARS_MAX,
  OPTION_VALUE_CHARS_MAX,
  OPTIONS_MAX,
  SKU_CHARS_MAX,
} from "../../domain/products/details.js";
import type { ListedProduct, Product } from "../../domain/products/product.js";
import { isoTime } from "../../infra/clock.js";
import { Timestamp } from "../server/schemas.js";
import { MoneyBody } from "./schemas.js";

/** A sale, and what helps to recognize a product, in answers. */
export const DETAILS = {
  sale_price: MoneyBody.nullable().openapi({ description: "null: there is no sale." }),
  sale_from: Timestamp.nullable(),
  sale_until: Timestamp.nullable(),
  brand: z.string().nullable(),
  gtin: z.string().nullable(),
  mpn: z.string().nullable(),
  sku: z.string().nullable(),
  identifier_exists: z.boolean().nullable(),
  category: z.string().nullable(),
  additional_image_urls: z.array(z.string()),
  item_group_id: z.string().nullable(),
  options: z.record(z.string(), z.string()),
};

const timeOf = (ms: number | null | undefined) =>
  ms === null || ms === undefined ? null : isoTime(ms);

export function renderDetails(product: Product | ListedProduct) {
  const { regularPrice, sale } = product;
  const { currency } = regularPrice;
  return {
    sale_price: sale === null ? null : { minor: sale.minor, currency },
    sale_from: timeOf(sale?.from),
    sale_until: timeOf(sale?.until),
    ...listedDetails(product),
  };
}

const IDENTIFIER_EXISTS =
  "false: the product has no GTIN, and its brand or MPN is missing, as with most handmade goods. null: not known.";

const text = (description: string, example: string) =>
  z.string().nullable().optional().openapi({ description, example });
const time = (description: string) => text(description, "2030-05-17T08:00:00Z");

/** The same in requests. Reading the product checks them. */
export const DETAIL_INPUTS = {
  sale_price: text("A decimal number, lower than the price, in its currency.", "3.90"),
  sale_from: time("When the sale begins. Leave it out if it has begun."),
  sale_until: time("When the sale ends. Leave it out if you end it yourself."),
  brand: text(`At most ${BRAND_CHARS_MAX} characters.`, "Rosa"),
  gtin: text("The number under the barcode: EAN, UPC, ISBN-13 or GTIN-14.", "4006381333931"),
  mpn: text(`The manufacturer's number. At most ${MPN_CHARS_MAX} characters.`, "RS-12"),
  sku: text(`The shop's own stock number (SKU). At most ${SKU_CHARS_MAX} characters.`, "TEE-M-RED"),
  identifier_exists: z.boolean().nullable().optional().openapi({ description: IDENTIFIER_EXISTS }),
  category: text(
    `A path of at most ${CATEGORY_CHARS_MAX} characters, the largest category first.`,
    "Garden > Flowers",
  ),
  additional_image_urls: z
    .array(z.string())
    .nullable()
    .optional()
    .openapi({ description: `At most ${MORE_IMAGES_MAX} https addresses.` }),
  item_group_id: text(
    `The same for all variants of a product. At most ${GROUP_ID_CHARS_MAX} characters.`,
    "rose",
  ),
  options: z
    .record(z.string(), z.string())
    .nullable()
    .optional()
    .openapi({
      description:
        `What distinguishes this variant. At most ${OPTIONS_MAX} names of ${OPTION_NAME_CHARS_MAX} characters, ` +
        `with values of ${OPTION_VALUE_CHARS_MAX}.`,
      example: { Color: "Red", Size: "M" },
    }),
};
