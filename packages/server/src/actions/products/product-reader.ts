import {
  completeProduct,
  type ListedProduct,
  type PartialProduct,
  PRODUCTS_MAX,
  type Product,
  readPartial,
  readProduct,
} from "../../domain/products/product.js";
import type { ProductLine } from "../../domain/products/product-lines.js";
import { products } from "../../domain/products/store.js";
import { nextTurn } from "../../domain/products/text-lines.js";
import type { Queries } from "../../infra/db/database.js";

/** Problems that the report lists; the others are only counted. */
const PROBLEMS_MAX = 100;

/** Lines read before other work runs. */
const TURN_LINES = 100;

export interface ImportProblem {
  readonly line: number;
  readonly problem: string;
}

/** A copy of a text. A part of a longer text keeps the whole of it in memory. */
const ownText = (text: string) => Buffer.from(text).toString();

/** A valid line, or one that its product completes. */
export type ReadLine =
  | { readonly kind: "whole"; readonly line: number; readonly product: ListedProduct }
  | ({ readonly kind: "partial"; readonly line: number } & PartialProduct);

/** A valid line with its number. */
export interface NumberedProduct {
  readonly line: number;
  readonly product: ListedProduct;
}

/** Completes lines that leave out the name or the price. A new product needs both. */
export function completeLines(
  lines: readonly ReadLine[],
  existing: ReadonlyMap<string, Product>,
): { readonly complete: readonly NumberedProduct[]; readonly problems: readonly ImportProblem[] } {
  const complete: NumberedProduct[] = [];
  const problems: ImportProblem[] = [];
  for (const one of lines) {
    const { line } = one;
    if (one.kind === "whole") {
      complete.push({ line, product: one.product });
      continue;
    }
    const before = existing.get(one.productId);
    const read = before === undefined ? readProduct(one.value) : completeProduct(one, before);
    if (read.ok) complete.push({ line, product: read.value });
    else problems.push({ line, problem: read.detail });
  }
  return { complete, problems };
}

/** Checks lines, and collects the problems of those that are refused. */
export class ProductReader {
  /** The ids of valid lines. */
  readonly seen = new Set<string>();
  readonly problems: ImportProblem[] = [];
  refused = 0;
  written = 0;
  private turns = 0;

  /** Waits before a line if others have been read since other work ran. */
  async turn(): Promise<void> {
    if (++this.turns % TURN_LINES === 0) await nextTurn();
  }

  read(line: ProductLine): ListedProduct | undefined {
    if (line.kind === "problem") return this.refuse(line.line, line.problem);
    const product = readProduct(line.value);
    if (!product.ok) return this.refuse(line.line, product.detail);
    return this.isFirst(line.line, product.value.productId) ? product.value : undefined;
  }

  /** With `updates`, a line can leave out the name and the price of a product that exists. */
  readLine(line: ProductLine, updates: boolean): ReadLine | undefined {
    const partial = updates && line.kind === "value" ? readPartial(line.value) : undefined;
    if (partial !== undefined) {
      const isFirst = this.isFirst(line.line, partial.productId);
      return isFirst ? { kind: "partial", line: line.line, ...partial } : undefined;
    }
    const product = this.read(line);
    return product && { kind: "whole", line: line.line, product };
  }

  refuse(line: number, problem: string): undefined {
    this.refused++;
    if (this.problems.length < PROBLEMS_MAX) this.problems.push({ line, problem });
  }

  private isFirst(line: number, productId: string): boolean {
    if (this.seen.has(productId)) this.refuse(line, "id: is already in an earlier line");
    else if (this.seen.size >= PRODUCTS_MAX) {
      this.refuse(line, `a site can have at most ${PRODUCTS_MAX} products`);
    } else {
      this.seen.add(ownText(productId));
      return true;
    }
    return false;
  }
}

/** The products that lines change, by their ids. */
export async function existingOf(
  db: Queries,
  siteKeyHash: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Product>> {
  const existing = await products.among(db, siteKeyHash, "product_id", ids);
  return new Map(existing.map((one) => [one.productId, one]));
}

/** Lines that are completed later are refused later. */
export const byLine = (problems: ProductReader["problems"]) =>
  problems.toSorted((a, b) => a.line - b.line);
