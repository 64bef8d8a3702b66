import { type JsonValue, ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../context.js";
import { type Actor, actorDraft } from "../owners/audit/drafts.js";
import { PRODUCTS_MAX, type ProductSetting, readProduct } from "../owners/products/product.js";
import { countProducts, removeOthers, writeProducts } from "../owners/products/store.js";
import { siteByHash } from "../owners/sites/store.js";
import type { ProductLine } from "./product-lines.js";

/** Rows written in one transaction: others get their turn in between. */
const BATCH_ROWS = 200;
/** Problems that are told one by one; the rest is counted. */
const PROBLEMS_MAX = 100;

interface ImportProblem {
  readonly line: number;
  readonly problem: string;
}

/** What came of an import. */
export interface ImportReport {
  readonly written: number;
  readonly removed: number;
  readonly refused: number;
  /** The first of those that were refused. */
  readonly problems: readonly ImportProblem[];
  /** Products the site has now. */
  readonly total: number;
}

/** Gathers what can be written, and what is wrong with the rest. */
class Lines {
  private readonly seen = new Set<string>();
  readonly problems: ImportProblem[] = [];
  refused = 0;
  written = 0;

  read(line: ProductLine): ProductSetting | undefined {
    if ("problem" in line) return this.refuse(line.line, line.problem);
    const product = readProduct(line.value);
    if (!product.ok) return this.refuse(line.line, product.detail);
    const { productId } = product.value;
    if (this.seen.has(productId)) return this.refuse(line.line, "id: stood in a line before");
    if (this.seen.size >= PRODUCTS_MAX) {
      return this.refuse(line.line, `a site has at most ${PRODUCTS_MAX} products`);
    }
    this.seen.add(productId);
    return product.value;
  }

  private refuse(line: number, problem: string): undefined {
    this.refused++;
    if (this.problems.length < PROBLEMS_MAX) this.problems.push({ line, problem });
  }
}

/**
 * Writes products as their lines come. What is wrong is told by its line and left out; the rest is
 * written. With `replace`, what the list does not name is removed at its end, unless a line of it
 * was refused. Cut short, it leaves what was written so far: importing again makes it whole.
 */
export async function importProducts(
  { audit, clock, db, ids }: Context,
  siteKeyHash: string,
  lines: AsyncIterable<ProductLine> | Iterable<ProductLine>,
  { replace, actor }: { readonly replace: boolean; readonly actor: Actor },
): Promise<ImportReport> {
  const importId = ids.id("imp");
  const read = new Lines();
  let batch: ProductSetting[] = [];
  const write = async () => {
    const products = batch;
    batch = [];
    const stamp = { importId, now: clock.now() };
    await db.transaction((tx) => writeProducts(tx, siteKeyHash, products, stamp));
    read.written += products.length;
  };
  for await (const line of lines) {
    const product = read.read(line);
    if (product !== undefined) batch.push(product);
    if (batch.length >= BATCH_ROWS) await write();
  }
  if (batch.length > 0) await write();
  const { written, refused, problems } = read;
  const { answer } = await audit.commit(siteKeyHash, async (tx) => {
    const removed = replace && refused === 0 ? await removeOthers(tx, siteKeyHash, importId) : 0;
    const total = await countProducts(tx, siteKeyHash);
    const change = { kind: "products_imported", written, removed, refused, total };
    const report = { written, removed, refused, problems, total };
    return {
      records: [actorDraft("site.changed", actor, clock.now(), { change })],
      answer: report,
    };
  });
  return answer;
}

/** Makes a whole list the site's products: all of it, or nothing. */
export async function setProducts(
  context: Context,
  siteKeyHash: string,
  products: readonly JsonValue[],
  actor: Actor,
): Promise<Result<ImportReport, "invalid_request" | "not_found">> {
  const check = new Lines();
  const lines = products.map((value, place) => ({ line: place, value }));
  for (const line of lines) check.read(line);
  const [first] = check.problems;
  if (first !== undefined) {
    return refuse("invalid_request", `products.${first.line}: ${first.problem}.`);
  }
  if ((await siteByHash(context.db, siteKeyHash)) === undefined) {
    return refuse("not_found", "No site has this key hash.");
  }
  return ok(await importProducts(context, siteKeyHash, lines, { replace: true, actor }));
}
