import type { JsonObject, JsonValue } from "@gatehouse/protocol";
import {
  findProducts,
  LOOKUP_IDS_MAX,
  lookUpProducts,
  PAGE_MAX,
} from "../../actions/products/find-products.js";
import type { Context } from "../../context.js";
import { errorAnswer, type UcpAnswer, ucpMember } from "./answer.js";
import { productBody, variantOf } from "./catalog-product.js";
import { invalid, ucpProblem } from "./errors.js";
import { listIn, numberIn, objectIn, textIn } from "./fields.js";
import type { Operation, UcpCall } from "./operation.js";

const SEARCH = "dev.ucp.shopping.catalog.search";
const LOOKUP = "dev.ucp.shopping.catalog.lookup";

/** UCP's page size for a request that names none. */
const PAGE = 10;
const QUERY_CHARS_MAX = 500;

/** The price range of `filters`; other filters are ignored. */
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
): Promise<UcpAnswer> {
  const page = objectIn(body.pagination, "pagination");
  const text = textIn(body.query, "query", QUERY_CHARS_MAX) ?? "";
  const filters = objectIn(body.filters, "filters");
  // UCP, catalog search: a request has at least one input.
  if (text.trim() === "" && Object.keys(filters).length === 0) {
    throw invalid("Send a `query`, or at least one of `filters`.");
  }
  const results = await findProducts(context, siteKeyHash, {
    text,
    ...priceFilter(filters),
    cursor: textIn(page.cursor, "pagination.cursor", QUERY_CHARS_MAX),
    limit: Math.min(numberIn(page.limit, "pagination.limit", 1) ?? PAGE, PAGE_MAX),
  });
  if (!results.ok) throw invalid(results.detail);
  const { products, next } = results.value;
  const cursor = next === null ? {} : { cursor: next };
  return {
    status: 200,
    body: {
      ucp: ucpMember(SEARCH),
      products: products.map((product) => productBody(product)),
      pagination: { has_next_page: next !== null, ...cursor },
    },
  };
}

function idsIn(value: JsonValue | undefined): readonly string[] {
  if (Array.isArray(value) && value.length > LOOKUP_IDS_MAX) {
    const content = `\`ids\` can have at most ${LOOKUP_IDS_MAX} entries. Send the others in another request.`;
    throw ucpProblem("request_too_large", content);
  }
  const ids = listIn(value, "ids", LOOKUP_IDS_MAX);
  if (ids.some((id) => typeof id !== "string")) throw invalid("`ids` must be strings.");
  return ids as readonly string[];
}

async function lookUpCatalog(
  context: Context,
  { site: { siteKeyHash }, body }: UcpCall,
): Promise<UcpAnswer> {
  const ids = idsIn(body.ids);
  const { minMinor, maxMinor } = priceFilter(objectIn(body.filters, "filters"));
  const matches = (await lookUpProducts(context, siteKeyHash, ids)).filter(
    ({ price }) =>
      (minMinor === null || price.minor >= minMinor) &&
      (maxMinor === null || price.minor <= maxMinor),
  );
  const products = matches.map((product) => {
    const inputs = [{ id: product.productId, match: "exact" }];
    return productBody(product, { ...variantOf(product), inputs });
  });
  const matched = new Set(matches.map(({ productId }) => productId));
  const missing = [...new Set(ids)].filter((id) => !matched.has(id));
  const content = `There are no products with these ids: ${missing.join(", ")}`;
  const messages =
    missing.length === 0 ? {} : { messages: [{ type: "info", code: "not_found", content }] };
  const ucp = ucpMember(LOOKUP);
  return { status: 200, body: { ucp, products, ...messages } };
}

async function getProduct(
  context: Context,
  { site: { siteKeyHash }, body }: UcpCall,
): Promise<UcpAnswer> {
  const id = textIn(body.id, "id", QUERY_CHARS_MAX);
  if (id === null) throw invalid("`id` is missing.");
  const [product] = await lookUpProducts(context, siteKeyHash, [id]);
  if (product === undefined) return errorAnswer("not_found", "There is no product with this id.");
  const ucp = ucpMember(LOOKUP);
  return { status: 200, body: { ucp, product: productBody(product) } };
}

export const CATALOG_OPERATIONS: readonly Operation[] = [
  {
    kind: "read",
    method: "POST",
    name: "search_catalog",
    paths: ["/catalog/search"],
    capability: SEARCH,
    run: searchCatalog,
  },
  {
    kind: "read",
    method: "POST",
    name: "lookup_catalog",
    paths: ["/catalog/lookup"],
    capability: LOOKUP,
    run: lookUpCatalog,
  },
  {
    kind: "read",
    method: "POST",
    name: "get_product",
    paths: ["/catalog/product"],
    capability: LOOKUP,
    run: getProduct,
  },
];
