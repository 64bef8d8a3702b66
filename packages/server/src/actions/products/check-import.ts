import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { listProducts } from "../../domain/products/listing/store.js";
import {
  changedFields,
  type ListedProduct,
  type Product,
  type ProductField,
} from "../../domain/products/product.js";
import { type ProductLine, UnreadableListError } from "../../domain/products/product-lines.js";
import { ownedByShop } from "./changing-products.js";
import { BATCH_ROWS, REFUSED_MAX } from "./import-products.js";
import {
  byLine,
  completeLines,
  existingOf,
  ProductReader,
  type ReadLine,
} from "./product-reader.js";

/** Changes and removed products that a check lists; the others are only counted. */
const CHANGES_SHOWN_MAX = 100;

/** A line that adds a product, or changes fields of one. */
interface ImportChange {
  readonly line: number;
  /** Undefined for a new product. */
  readonly before: Product | undefined;
  readonly after: ListedProduct;
  readonly fields: readonly ProductField[];
}

/** What an import of a file would do. */
export interface ImportCheck {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
  readonly removed: number;
  readonly refused: number;
  readonly problems: ProductReader["problems"];
  /** The first changes, by line. */
  readonly changes: readonly ImportChange[];
  /** The first products that would be removed. */
  readonly removals: readonly Pick<Product, "productId" | "title">[];
  readonly stopped: boolean;
}

/** Compares valid lines with the products of a site. */
class Comparison {
  readonly counts = { added: 0, changed: 0, unchanged: 0 };
  readonly changes: ImportChange[] = [];

  private readonly context: Context;
  private readonly siteKeyHash: string;
  readonly updates: boolean;

  constructor(context: Context, siteKeyHash: string, updates: boolean) {
    this.context = context;
    this.siteKeyHash = siteKeyHash;
    this.updates = updates;
  }

  async take(batch: readonly ReadLine[], reader: ProductReader): Promise<void> {
    const ids = batch.map((one) => (one.kind === "whole" ? one.product.productId : one.productId));
    const known = await existingOf(this.context.db, this.siteKeyHash, ids);
    const { complete, problems } = completeLines(batch, known);
    for (const { line, problem } of problems) reader.refuse(line, problem);
    for (const { line, product } of complete) {
      const before = known.get(product.productId);
      const fields = before === undefined ? [] : changedFields(before, product, this.updates);
      const isUnchanged = before !== undefined && fields.length === 0;
      this.counts[before === undefined ? "added" : isUnchanged ? "unchanged" : "changed"]++;
      if (isUnchanged || this.changes.length >= CHANGES_SHOWN_MAX) continue;
      this.changes.push({ line, before, after: product, fields });
    }
  }
}

/** The products that no line names: how many there are, and the first of them. */
async function othersOf({ db }: Context, siteKeyHash: string, named: ReadonlySet<string>) {
  const removals: Product[] = [];
  let removed = 0;
  for (let after: { value: string; id: string } | null = null; ; ) {
    const page: Product[] = await listProducts(
      db,
      siteKeyHash,
      { search: undefined, sort: "id" },
      { after, limit: BATCH_ROWS },
    );
    const others = page.filter(({ productId }) => !named.has(productId));
    removed += others.length;
    removals.push(...others.slice(0, CHANGES_SHOWN_MAX - removals.length));
    const last = page.at(-1)?.productId;
    if (page.length < BATCH_ROWS || last === undefined) return { removed, removals };
    after = { value: last, id: last };
  }
}

async function compareLines(
  lines: AsyncIterable<ProductLine>,
  reader: ProductReader,
  comparison: Comparison,
): Promise<void> {
  let batch: ReadLine[] = [];
  for await (const line of lines) {
    await reader.turn();
    const read = reader.readLine(line, comparison.updates);
    if (read !== undefined) batch.push(read);
    if (reader.refused >= REFUSED_MAX) break;
    if (batch.length < BATCH_ROWS) continue;
    await comparison.take(batch, reader);
    batch = [];
  }
  await comparison.take(batch, reader);
}

/** Reads a file as an import does, and says what the import would do. Nothing is written. */
export async function checkImport(
  context: Context,
  siteKeyHash: string,
  lines: AsyncIterable<ProductLine>,
  { replace }: { readonly replace: boolean },
): Promise<Result<ImportCheck, "conflict" | "invalid_request">> {
  const owned = await ownedByShop(context.db, siteKeyHash);
  if (owned !== undefined) return owned;
  const reader = new ProductReader();
  const comparison = new Comparison(context, siteKeyHash, !replace);
  try {
    await compareLines(lines, reader, comparison);
  } catch (error) {
    if (!(error instanceof UnreadableListError)) throw error;
    return refuse("invalid_request", error.message);
  }
  const { refused, problems } = reader;
  const isWhole = replace && refused === 0;
  const others = isWhole
    ? await othersOf(context, siteKeyHash, reader.seen)
    : { removed: 0, removals: [] };
  const { counts, changes } = comparison;
  const stopped = refused >= REFUSED_MAX;
  return ok({ ...counts, ...others, refused, problems: byLine(problems), changes, stopped });
}
