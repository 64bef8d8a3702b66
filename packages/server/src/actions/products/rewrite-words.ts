import type { Context } from "../../context.js";
import { productsWithWords, replaceWords } from "../../domain/products/words/store.js";
import { productWords } from "../../infra/search-words.js";

/** Few, so that no purchase waits for them. */
const PRODUCTS_PER_STEP = 100;

/**
 * Stores the words of all products as this version of search does. An earlier version, which may still run on another
 * node, stores words without their other forms. A crash leaves the rest for the next time; until then they are found
 * by the words of their texts alone.
 */
export async function rewriteWords(
  { db }: Pick<Context, "db">,
  stopping: () => boolean,
): Promise<void> {
  for (let after = { site_key_hash: "", product_id: "" }; !stopping(); ) {
    const products = await productsWithWords(db, after, PRODUCTS_PER_STEP);
    const changed = products.flatMap((product) => {
      const words = productWords(product);
      const isSame =
        words.title_words === product.title_words && words.body_words === product.body_words;
      return isSame ? [] : [{ product, words }];
    });
    if (changed.length > 0) {
      await db.transaction(async (tx) => {
        for (const { product, words } of changed) await replaceWords(tx, product, words);
      });
    }
    const last = products.at(-1);
    if (last === undefined || products.length < PRODUCTS_PER_STEP) return;
    after = last;
  }
}
