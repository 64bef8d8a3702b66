import type { JsonValue } from "@gatehouse/protocol";
import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { listProducts } from "../../actions/products/find-products.js";
import { type ImportReport, importProducts } from "../../actions/products/import-products.js";
import { csvLines, jsonLines } from "../../actions/products/product-lines.js";
import { removeProduct, setProducts } from "../../actions/products/set-products.js";
import type { Context } from "../../context.js";
import {
  AVAILABILITIES,
  PRODUCT_ID_CHARS_MAX,
  type Product,
} from "../../domain/products/product.js";
import { isoTime } from "../../infra/clock.js";
import { strict } from "../server/faults.js";
import { Problem } from "../server/problem.js";
import { body, errors, json, Timestamp } from "../server/schemas.js";
import { uploadOf } from "../server/upload.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { NextCursor, PageQuery, refused, Search, SiteParams } from "./schemas.js";

const IMPORT_BYTES_MAX = 64 * 1024 * 1024;
const CURSOR_CHARS_MAX = 600;
/** A character outside the basic plane counts as two in the length of a string. */
const PRODUCT_ID_UNITS_MAX = 2 * PRODUCT_ID_CHARS_MAX;
const PATH = "/v1/admin/sites/{site_key_hash}/products";
const tags = ["Selling"];

const ProductBody = z
  .object({
    id: z.string(),
    title: z.string(),
    description: z.string(),
    price: z.object({ minor: z.int(), currency: z.string() }),
    image_url: z.string().nullable(),
    url: z.string().nullable(),
    availability: z.enum(AVAILABILITIES),
    quantity: z.int().nullable().openapi({ description: "null: nobody counts." }),
    reserved: z.int().openapi({ description: "Being paid for right now." }),
    changed_at: Timestamp,
  })
  .openapi("Product");

const ReportBody = z
  .object({
    written: z.int(),
    removed: z.int(),
    refused: z.int(),
    problems: z
      .array(z.object({ line: z.int(), problem: z.string() }))
      .openapi({ description: "The first hundred of those that were refused." }),
    total: z.int().openapi({ description: "Products the site has now." }),
    stopped: z
      .boolean()
      .openapi({ description: "A thousand lines were refused; the rest was not read." }),
  })
  .openapi("ImportReport");

const ProductId = z.string().min(1).max(PRODUCT_ID_UNITS_MAX);

const list = createRoute({
  method: "get",
  path: PATH,
  tags,
  summary: "List products",
  description: "By id.",
  request: {
    params: SiteParams,
    query: PageQuery.extend({
      // A cursor contains a product id, which is longer than the ids in other cursors.
      cursor: z.string().max(CURSOR_CHARS_MAX).optional(),
      q: Search.optional().openapi({
        description: "What title or id hold; small and capital letters are alike.",
      }),
    }),
  },
  responses: {
    200: json(z.object({ items: z.array(ProductBody), next_cursor: NextCursor }), "Products."),
    ...errors("invalid_request", "not_found"),
  },
});

const replaceAll = createRoute({
  method: "put",
  path: PATH,
  tags,
  summary: "Replace the products of a site",
  description:
    "Fields: `id, title, description, price, currency, image_url, url, availability, quantity`. " +
    "All of them are taken, or none. For long lists there is the import.",
  request: {
    params: SiteParams,
    body: body(strict({ products: z.array(z.record(z.string(), z.unknown())) })),
  },
  responses: {
    200: json(ReportBody, "What was written."),
    ...errors("invalid_request", "forbidden", "not_found"),
  },
});

const importRoute = createRoute({
  method: "post",
  path: `${PATH}/import`,
  tags,
  summary: "Import products",
  description:
    "CSV (`text/csv`) or one JSON object a line (`application/x-ndjson`), up to 64 MB, read while " +
    "it comes. Lines that are wrong are told and left out. With `mode=replace` products the file " +
    "does not name are removed, unless a line was refused.",
  request: {
    params: SiteParams,
    query: z.object({ mode: z.enum(["update", "replace"]).default("update") }),
    body: {
      required: true,
      content: {
        "text/csv": { schema: z.string() },
        "application/x-ndjson": { schema: z.string() },
      },
    },
  },
  responses: {
    200: json(ReportBody, "What was written, and what was not."),
    ...errors("invalid_request", "forbidden", "not_found", "conflict", "unsupported_media_type"),
  },
});

const remove = createRoute({
  method: "delete",
  path: PATH,
  tags,
  summary: "Remove a product",
  description:
    "Nobody can buy it any more. Orders keep what they say of it. Its id is in the query: it may " +
    "hold what no path can.",
  request: { params: SiteParams, query: z.object({ id: ProductId }) },
  responses: {
    204: { description: "Removed." },
    ...errors("invalid_request", "forbidden", "not_found"),
  },
});

function render(product: Product): z.infer<typeof ProductBody> {
  return {
    id: product.productId,
    title: product.title,
    description: product.description,
    price: { minor: product.price.minor, currency: product.price.currency },
    image_url: product.imageUrl,
    url: product.url,
    availability: product.availability,
    quantity: product.quantity,
    reserved: product.reserved,
    changed_at: isoTime(product.changedAt),
  };
}

function renderReport(report: ImportReport): z.infer<typeof ReportBody> {
  return { ...report, problems: [...report.problems] };
}

/** The reader for the lines of a `Content-Type`. */
function linesOf(type: string) {
  if (/^text\/csv\b/i.test(type)) return csvLines;
  if (/^application\/(?:x-ndjson|jsonl)\b/i.test(type)) return jsonLines;
  throw new Problem("unsupported_media_type", {
    message: "Send text/csv or application/x-ndjson.",
  });
}

/** The only route whose body is not JSON. It is registered before the middleware that parses JSON. */
export function productImportRoute(app: OpenAPIHono<AdminEnv>, context: Context): void {
  const { path, request } = importRoute;
  app.openAPIRegistry.registerPath(importRoute);
  app.post(path.replace("{site_key_hash}", ":site_key_hash"), async (c) => {
    const params = request.params.safeParse(c.req.param());
    if (!params.success) throw new Problem("not_found");
    const { site_key_hash } = params.data;
    await requireSite(context, c, site_key_hash, "owner");
    const query = request.query.safeParse(c.req.query());
    if (!query.success) {
      throw new Problem("invalid_request", { message: "mode: must be update or replace." });
    }
    const lines = linesOf(c.req.header("content-type") ?? "");
    const upload = uploadOf(c.req.raw, IMPORT_BYTES_MAX, context.clock);
    const options = { replace: query.data.mode === "replace", actor: actorOf(c) };
    const result = await importProducts(context, site_key_hash, lines(upload), options);
    return result.ok ? c.json(renderReport(result.value), 200) : refused(result);
  });
}

export function productRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openapi(list, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "auditor");
    const { q, ...query } = c.req.valid("query");
    const page = await listProducts(context, site_key_hash, q, query);
    return c.json({ items: page.items.map(render), next_cursor: page.nextCursor }, 200);
  });

  app.openapi(replaceAll, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const products = c.req.valid("json").products as readonly JsonValue[];
    const result = await setProducts(context, site_key_hash, products, actorOf(c));
    return result.ok ? c.json(renderReport(result.value), 200) : refused(result);
  });
  app.openapi(remove, async (c) => {
    const { site_key_hash } = c.req.valid("param");
    await requireSite(context, c, site_key_hash, "owner");
    const { id } = c.req.valid("query");
    const result = await removeProduct(context, site_key_hash, id, actorOf(c));
    return result.ok ? c.body(null, 204) : refused(result);
  });
}
