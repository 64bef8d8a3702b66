import type { Database } from "../../../infra/db/database.js";
import { containing } from "../../../infra/db/statements.js";
import { type Product, type ProductSort, type ProductSortField, QUANTITY_MAX } from "../product.js";
import { OWN, products } from "../store.js";

/** The column of each field that lists are sorted by. Stock that is not counted is the largest. */
const SORTED_BY: Readonly<Record<ProductSortField, string>> = {
  id: "product_id",
  title: "title",
  price: "price_minor",
  quantity: `COALESCE(quantity, ${QUANTITY_MAX + 1})`,
  changed_at: "changed_at",
};

/** Where a page of products begins: behind the product with this value and this id. */
export interface ProductPlace {
  readonly value: string | number;
  readonly id: string;
}

interface ProductPage {
  readonly after: ProductPlace | null;
  readonly limit: number;
}

/** Products of a site, sorted by a field and then by id; with `search`, those whose title or id contains it. */
export function listProducts(
  db: Pick<Database, "all" | "dialect">,
  siteKeyHash: string,
  { search, sort }: { readonly search: string | undefined; readonly sort: ProductSort },
  { after, limit }: ProductPage,
): Promise<Product[]> {
  const by = SORTED_BY[sort.replace("-", "") as ProductSortField];
  const [order, than] = sort.startsWith("-") ? [" DESC", "<"] : ["", ">"];
  const match = containing(db.dialect, ["title", "product_id"], search);
  const next = after && {
    sql: `(${by}, product_id) ${than} (?, ?)`,
    values: [after.value, after.id],
  };
  const conditions = [match, next].filter((one) => one != null);
  return products.all(
    db,
    `WHERE ${["site_key_hash = ?", OWN, ...conditions.map(({ sql }) => sql)].join(" AND ")}
     ORDER BY ${by}${order}, product_id${order} LIMIT ?`,
    siteKeyHash,
    ...conditions.flatMap(({ values }) => values),
    limit,
  );
}
