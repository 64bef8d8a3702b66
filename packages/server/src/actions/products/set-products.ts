import { type JsonValue, ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import { countProducts, deleteProduct, removeOthers } from "../../domain/products/store.js";
import { writeProducts } from "../../domain/products/written/store.js";
import { changingProducts, ownedByShop } from "./changing-products.js";
import type { ImportFault, ImportReport } from "./import-products.js";
import { ProductReader } from "./product-reader.js";

/** Removes a product. Nobody can buy it any more; orders keep their own copy of it. */
export async function removeProduct(
  { audit, clock }: Context,
  siteKeyHash: string,
  productId: string,
  actor: Actor,
): Promise<Result<null, "not_found" | "conflict">> {
  type Answer = Result<null, "not_found" | "conflict">;
  const { answer } = await audit.commit<Answer>(siteKeyHash, async (tx) => {
    const owned = await ownedByShop(tx, siteKeyHash);
    if (owned !== undefined) return { records: [], answer: owned };
    const now = clock.now();
    const remove = () => deleteProduct(tx, siteKeyHash, productId);
    if (!(await changingProducts(tx, siteKeyHash, now, remove))) {
      return { records: [], answer: refuse("not_found", "The site has no such product.") };
    }
    const total = await countProducts(tx, siteKeyHash);
    const change = { kind: "product_removed", product_id: productId, total };
    const records = [actorDraft("site.changed", actor, now, { change })];
    return { records, answer: ok(null) };
  });
  return answer;
}

/** Replaces all products of a site in one transaction. If one is refused, nothing changes. */
export async function setProducts(
  { audit, clock, db, ids }: Context,
  siteKeyHash: string,
  products: readonly JsonValue[],
  actor: Actor,
): Promise<Result<ImportReport, ImportFault>> {
  const owned = await ownedByShop(db, siteKeyHash);
  if (owned !== undefined) return owned;
  const reader = new ProductReader();
  const list = products.flatMap((value, line) => reader.read({ kind: "value", line, value }) ?? []);
  const [first] = reader.problems;
  if (first !== undefined) {
    return refuse("invalid_request", `products.${first.line}: ${first.problem}.`);
  }
  const importId = ids.id("imp");
  const { answer } = await audit.commit(siteKeyHash, async (tx) => {
    const now = clock.now();
    const removed = await changingProducts(tx, siteKeyHash, now, async () => {
      await writeProducts(tx, siteKeyHash, list, { importId, now, updates: false });
      return removeOthers(tx, siteKeyHash, importId);
    });
    const counts = { written: list.length, removed, refused: 0, total: list.length };
    const change = { kind: "products_set", import_id: importId, ...counts };
    const records = [actorDraft("site.changed", actor, now, { change })];
    return { records, answer: { ...counts, problems: [], stopped: false } };
  });
  return ok(answer);
}
