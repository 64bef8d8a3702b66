import type { JsonObject, JsonValue } from "@gatehouse/protocol";
import { findProducts, lookUpProducts, PAGE_MAX } from "../../actions/products/find-products.js";
import type { Context } from "../../context.js";
import type { Product } from "../../domain/products/product.js";
import { errorAnswer, type UcpBody, ucpMember } from "./answer.js";
import { UcpProblem } from "./fault.js";
import { invalid, listIn, numberIn, objectIn, textIn } from "./fields.js";
import type { Operation, UcpCall } from "./operation.js";

/** What UCP gives whoever does not say how many. */
const PAGE = 10;
const QUERY_CHARS_MAX = 500;
const IDS_MAX = 50;

/** What a product costs and says; each is its own only variant. */
function variantOf({ productId: id, title, description, price, url, ...product }: Product) {
  const { minor: amount, currency } = price;
  const { availability: status, quantity, reserved } = product;
  const sold = status === "out_of_stock" || (quantity !== null && quantity - reserved <= 0);
  return {
    id,
    title,
    description: { plain: description },
    price: { amount, currency },
    ...(url === null ? {} : { url }),
    availability: { available: !sold, status: sold ? "out_of_stock" : status },
  };
}

function productBody(product: Product, variant: JsonObject = variantOf(product)): JsonObject {
  const { productId: id, title, description, price, url, imageUrl } = product;
  const cost = { amount: price.minor, currency: price.currency };
  return {
    id,
    title,
    description: { plain: description },
    ...(url === null ? {} : { url }),
    price_range: { min: cost, max: cost },
    ...(imageUrl === null ? {} : { media: [{ type: "image", url: imageUrl, alt_text: title }] }),
    variants: [variant],
  };
}

/** The price a `filters` of UCP asks for; other filters narrow nothing here. */
function priceFilter(filters: JsonObject) {
  const price = objectIn(filters.price, "filters.price");
  return {
    minMinor: numberIn(price.min, "filters.price.min", 0),
    maxMinor: numberIn(price.max, "filters.price.max", 0),
  };
}

async function searchCatalog(
  context: Context,
  { site: { siteKeyHash }, body }: UcpCall,
): Promise<UcpBody> {
  const page = objectIn(body.pagination, "pagination");
  const text = textIn(body.query, "query", QUERY_CHARS_MAX) ?? "";
  const filters = objectIn(body.filters, "filters");
  // UCP, catalog search: a request has at least one input.
  if (text.trim() === "" && Object.keys(filters).length === 0) {
    throw invalid("Send a `query`, or at least one of `filters`.");
  }
  const found = await findProducts(context, siteKeyHash, {
    text,
    ...priceFilter(filters),
    cursor: textIn(page.cursor, "pagination.cursor", QUERY_CHARS_MAX),
    limit: Math.min(numberIn(page.limit, "pagination.limit", 1) ?? PAGE, PAGE_MAX),
  });
  if (!found.ok) throw invalid(found.detail);
  const { products, next } = found.value;
  const cursor = next === null ? {} : { cursor: next };
  return {
    status: 200,
    body: {
      ucp: ucpMember("dev.ucp.shopping.catalog.search"),
      products: products.map((product) => productBody(product)),
      pagination: { has_next_page: next !== null, ...cursor },
    },
  };
}

function idsIn(value: JsonValue | undefined): readonly string[] {
  if (Array.isArray(value) && value.length > IDS_MAX) {
    const content = `\`ids\` can hold at most ${IDS_MAX}. Send the others in another request.`;
    throw new UcpProblem("request_too_large", content);
  }
  const ids = listIn(value, "ids", IDS_MAX);
  if (ids.some((id) => typeof id !== "string")) throw invalid("`ids` must be texts.");
  return ids as readonly string[];
}

async function lookUpCatalog(
  context: Context,
  { site: { siteKeyHash }, body }: UcpCall,
): Promise<UcpBody> {
  const ids = idsIn(body.ids);
  const { minMinor, maxMinor } = priceFilter(objectIn(body.filters, "filters"));
  const found = (await lookUpProducts(context, siteKeyHash, ids)).filter(
    ({ price }) =>
      (minMinor === null || price.minor >= minMinor) &&
      (maxMinor === null || price.minor <= maxMinor),
  );
  const products = found.map((product) => {
    const inputs = [{ id: product.productId, match: "exact" }];
    return productBody(product, { ...variantOf(product), inputs });
  });
  const there = new Set(found.map(({ productId }) => productId));
  const missing = [...new Set(ids)].filter((id) => !there.has(id));
  const content = `Nothing is sold here under: ${missing.join(", ")}`;
  const messages =
    missing.length === 0 ? {} : { messages: [{ type: "info", code: "not_found", content }] };
  const ucp = ucpMember("dev.ucp.shopping.catalog.lookup");
  return { status: 200, body: { ucp, products, ...messages } };
}

async function getProduct(
  context: Context,
  { site: { siteKeyHash }, body }: UcpCall,
): Promise<UcpBody> {
  const id = textIn(body.id, "id", QUERY_CHARS_MAX);
  if (id === null) throw invalid("`id` must be there.");
  const [product] = await lookUpProducts(context, siteKeyHash, [id]);
  if (product === undefined) return errorAnswer("not_found", "Nothing of this id is sold here.");
  const ucp = ucpMember("dev.ucp.shopping.catalog.lookup");
  return { status: 200, body: { ucp, product: productBody(product) } };
}

const SEARCH = "dev.ucp.shopping.catalog.search";
const LOOKUP = "dev.ucp.shopping.catalog.lookup";

export const CATALOG_OPERATIONS: readonly Operation[] = [
  {
    method: "post",
    path: "/catalog/search",
    capability: SEARCH,
    tool: "search_catalog",
    read: searchCatalog,
  },
  {
    method: "post",
    path: "/catalog/lookup",
    capability: LOOKUP,
    tool: "lookup_catalog",
    read: lookUpCatalog,
  },
  {
    method: "post",
    path: "/catalog/product",
    capability: LOOKUP,
    tool: "get_product",
    read: getProduct,
  },
];
