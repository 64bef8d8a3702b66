import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import { countProducts, deleteProduct } from "../../domain/products/store.js";

/**
 * Takes one product out of the site's list, as an import that replaces does with what it does not
 * name: nobody can buy it from then on, and orders keep what they say of it.
 */
export async function removeProduct(
  { audit, clock }: Context,
  siteKeyHash: string,
  productId: string,
  actor: Actor,
): Promise<Result<null, "not_found">> {
  const { answer } = await audit.commit<Result<null, "not_found">>(siteKeyHash, async (tx) => {
    if (!(await deleteProduct(tx, siteKeyHash, productId))) {
      return { records: [], answer: refuse("not_found", "The site has no such product.") };
    }
    const total = await countProducts(tx, siteKeyHash);
    const change = { kind: "product_removed", product_id: productId, total };
    const records = [actorDraft("site.changed", actor, clock.now(), { change })];
    return { records, answer: ok(null) };
  });
  return answer;
}
