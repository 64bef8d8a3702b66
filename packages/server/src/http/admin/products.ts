import type { JsonObject, JsonValue } from "@gatehouse/protocol";
import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { addProduct, changeProduct } from "../../actions/products/change-product.js";
import { productSource } from "../../actions/products/changing-products.js";
import { listProducts } from "../../actions/products/find-products.js";
import { removeProduct, setProducts } from "../../actions/products/set-products.js";
import type { Context } from "../../context.js";
import {
  AVAILABILITIES,
  PRODUCT_FIELDS,
  PRODUCT_ID_CHARS_MAX,
  PRODUCT_SORTS,
  type Product,
} from "../../domain/products/product.js";
import { isoTime } from "../../infra/clock.js";
import { requireOk } from "../server/require-ok.js";
import { json, Timestamp } from "../server/schemas.js";
import { strict } from "../server/validation.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { pageOf, siteRoute } from "./describe.js";
import { DETAIL_INPUTS, DETAILS, renderDetails } from "./product-details.js";
import { ImportReportBody, renderReport } from "./product-import-bodies.js";
import { MoneyBody, PageQuery, Search } from "./schemas.js";

/** A cursor contains the title and the id of a product, with up to four bytes a character. */
const CURSOR_CHARS_MAX = 2000;
const TEXT_CHARS_MAX = 10_000;
/** A character outside the basic plane counts as two in the length of a string. */
const PRODUCT_ID_UNITS_MAX = 2 * PRODUCT_ID_CHARS_MAX;

export const ProductBody = z
  .object({
    id: z.string(),
    title: z.string(),
    description: z.string(),
    price: MoneyBody.openapi({ description: "What it costs now." }),
    regular_price: MoneyBody.openapi({ description: "What it costs without a sale." }),
    image_url: z.string().nullable(),
    url: z.string().nullable(),
    availability: z.enum(AVAILABILITIES),
    quantity: z.int().nullable().openapi({ description: "null: stock is not counted." }),
    ...DETAILS,
    reserved: z.int().openapi({ description: "Reserved by payments in progress." }),
    paused: z.boolean().openapi({ description: "Whether it is off sale for now." }),
    changed_at: Timestamp,
  })
  .openapi("Product");

export const ProductId = z.string().min(1).max(PRODUCT_ID_UNITS_MAX);

const list = siteRoute("get", "/products", {
  tags: ["Selling"],
  summary: "List products",
  description: "Sorted by id, unless sorted otherwise.",
  query: PageQuery.extend({
    cursor: z.string().max(CURSOR_CHARS_MAX).optional(),
    q: Search.optional().openapi({
      description:
        "Text in the title, id or SKU, or words of the title. Case does not matter. Singular and plural match each other.",
    }),
    id: ProductId.optional().openapi({ description: "Only the product with this id." }),
    sort: z.enum(PRODUCT_SORTS).default("id").openapi({
      description: "A minus sorts the largest or newest first. Keep it the same for all pages.",
    }),
  }),
  answer: pageOf(ProductBody, "The products."),
});

const source = siteRoute("get", "/products/source", {
  tags: ["Selling"],
  summary: "Show where the products come from",
  description:
    "If the products come from a shop system, you can only pause them here. Change everything else in the shop system.",
  answer: json(
    z
      .object({
        shop_system: z
          .object({
            name: z.string().openapi({ example: "WooCommerce 10.2.4" }),
            sells: z.boolean(),
          })
          .nullable()
          .openapi({ description: "The connected shop system. null if there is none." }),
        product_feed: z.boolean().openapi({ description: "Whether a product feed is set." }),
      })
      .openapi("ProductSource"),
    "What the products are read from.",
  ),
});

const replaceAll = siteRoute("put", "/products", {
  tags: ["Selling"],
  summary: "Replace the products of a site",
  description:
    `Fields: \`${PRODUCT_FIELDS.join(", ")}\`. ` +
    "Either all products are saved, or none. For long lists, use the import.",
  body: strict({ products: z.array(z.record(z.string(), z.unknown())) }),
  answer: json(ImportReportBody, "What was saved."),
  errors: ["conflict"],
});

/** Text of a form; what it must be, the list of products says. */
const Text = z.string().max(TEXT_CHARS_MAX);
const FIELDS = {
  title: Text,
  description: Text.optional().openapi({ description: "The default is the title." }),
  price: Text.openapi({
    example: "4.50",
    description: "The regular price: a decimal number as text. Answers have whole minor units.",
  }),
  currency: Text.openapi({ example: "EUR" }),
  image_url: Text.nullable().optional(),
  url: Text.nullable().optional(),
  availability: z.enum(AVAILABILITIES).optional(),
  quantity: z.int().min(0).nullable().optional(),
  ...DETAIL_INPUTS,
};

const add = siteRoute("post", "/products", {
  tags: ["Selling"],
  summary: "Add a product",
  body: strict({ id: ProductId, ...FIELDS, paused: z.boolean().default(false) }),
  created: json(ProductBody, "The product."),
  errors: ["conflict"],
});

const change = siteRoute("patch", "/products", {
  tags: ["Selling"],
  summary: "Change a product",
  description:
    "Fields that you leave out stay as they are. `paused` takes the product off sale: agents neither find nor " +
    "buy it. The id is in the query, because it can contain characters that a path cannot.",
  query: z.object({ id: ProductId }),
  body: strict({ ...FIELDS, paused: z.boolean() }).partial(),
  answer: json(ProductBody, "The product."),
});

const remove = siteRoute("delete", "/products", {
  tags: ["Selling"],
  summary: "Remove a product",
  description:
    "Nobody can buy it any more. Existing orders keep its details. The id is in the query, because it can " +
    "contain characters that a path cannot.",
  query: z.object({ id: ProductId }),
  noContent: "The product was removed.",
  errors: ["conflict"],
});

export function renderProduct(product: Product): z.infer<typeof ProductBody> {
  return {
    id: product.productId,
    title: product.title,
    description: product.description,
    price: { minor: product.price.minor, currency: product.price.currency },
    regular_price: { ...product.regularPrice },
    image_url: product.imageUrl,
    url: product.url,
    availability: product.availability,
    quantity: product.quantity,
    ...renderDetails(product),
    reserved: product.reserved,
    paused: product.paused,
    changed_at: isoTime(product.changedAt),
  };
}

export function productRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const { q: search, id, sort, ...query } = c.req.valid("query");
    const page = await listProducts(context, siteKeyHash, { id, search, sort }, query);
    return c.json({ items: page.items.map(renderProduct), next_cursor: page.nextCursor }, 200);
  });

  app.openapi(source, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "auditor");
    const { connection, hasFeed } = await productSource(context, siteKeyHash);
    const shop_system = connection ? { name: connection.system, sells: connection.sells } : null;
    return c.json({ shop_system, product_feed: hasFeed }, 200);
  });

  app.openapi(replaceAll, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const products = c.req.valid("json").products as readonly JsonValue[];
    const report = requireOk(await setProducts(context, siteKeyHash, products, actorOf(c)));
    return c.json(renderReport(report), 200);
  });

  app.openapi(add, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const product = c.req.valid("json") as JsonObject & { paused: boolean };
    return c.json(
      renderProduct(requireOk(await addProduct(context, siteKeyHash, product, actorOf(c)))),
      201,
    );
  });

  app.openapi(change, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { id } = c.req.valid("query");
    const fields = c.req.valid("json") as JsonObject & { paused?: boolean };
    const changed = await changeProduct(context, siteKeyHash, id, fields, actorOf(c));
    return c.json(renderProduct(requireOk(changed)), 200);
  });

  app.openapi(remove, async (c) => {
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const { id } = c.req.valid("query");
    requireOk(await removeProduct(context, siteKeyHash, id, actorOf(c)));
    return c.body(null, 204);
  });
}
