import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import { beginImport, keepOthers, keepReplaced } from "../../domain/products/imports/store.js";
import { type ListedProduct, PRODUCTS_MAX, readProduct } from "../../domain/products/product.js";
import { type ProductLine, UnreadableListError } from "../../domain/products/product-lines.js";
import { countProducts, removeOthers } from "../../domain/products/store.js";
import { nextTurn } from "../../domain/products/text-lines.js";
import { writeProducts } from "../../domain/products/written/store.js";
import { lockSite } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { changingProducts, ownedByShop } from "./changing-products.js";

/** Rows written in one transaction; other work runs between transactions. */
export const BATCH_ROWS = 200;
/** Problems that the report lists; the others are only counted. */
const PROBLEMS_MAX = 100;

/** After this many refused lines the rest of the file is not read. */
export const REFUSED_MAX = 1000;
/** Lines read before other work runs. */
const TURN_LINES = 100;

interface ImportProblem {
  readonly line: number;
  readonly problem: string;
}

/** The result of an import. */
export interface ImportReport {
  readonly written: number;
  readonly removed: number;
  readonly refused: number;
  /** The first refused lines. */
  readonly problems: readonly ImportProblem[];
  /** How many products the site has now. */
  readonly total: number;
  /** Too many lines were refused, so the rest of the file was not read. */
  readonly stopped: boolean;
}

/** Why an import was refused, or ended early. */
export type ImportFault = "not_found" | "conflict" | "invalid_request";

/** A copy of a text. A part of a longer text keeps the whole of it in memory. */
const ownText = (text: string) => Buffer.from(text).toString();

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
    const { productId } = product.value;
    if (this.seen.has(productId))
      return this.refuse(line.line, "id: is already in an earlier line");
    if (this.seen.size >= PRODUCTS_MAX) {
      return this.refuse(line.line, `a site can have at most ${PRODUCTS_MAX} products`);
    }
    this.seen.add(ownText(productId));
    return product.value;
  }

  private refuse(line: number, problem: string): undefined {
    this.refused++;
    if (this.problems.length < PROBLEMS_MAX) this.problems.push({ line, problem });
  }
}

/** The site was deleted, or exceeded its number of products, during the import. */
class ImportEndedError extends Error {
  override readonly name = "ImportEndedError";
  readonly fault: ImportFault;

  constructor(fault: ImportFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

/** One import under way. */
export interface Import {
  readonly siteKeyHash: string;
  readonly importId: string;
  /** Whether fields that a line leaves out keep their values. */
  readonly updates: boolean;
  /** Whether what it replaces is kept, so that it can be undone. */
  readonly canUndo: boolean;
}

/** Changes some products of a site in a separate transaction. Ends the import if the site was deleted. */
export async function changeBatch<T>(
  { clock, db }: Context,
  siteKeyHash: string,
  change: (tx: Transaction, now: number) => Promise<T>,
  importId?: string,
): Promise<T> {
  return db.transaction(async (tx) => {
    if (!(await lockSite(tx, siteKeyHash))) {
      throw new ImportEndedError("not_found", "The site was deleted during the import.");
    }
    const now = clock.now();
    return changingProducts(tx, siteKeyHash, now, () => change(tx, now), importId);
  });
}

async function writeBatch(
  context: Context,
  { siteKeyHash, importId, updates, canUndo }: Import,
  products: readonly ListedProduct[],
): Promise<void> {
  const write = async (tx: Transaction, now: number) => {
    if (canUndo) await keepReplaced(tx, siteKeyHash, products, { updates });
    await writeProducts(tx, siteKeyHash, products, { importId, now, updates });
    if ((await countProducts(tx, siteKeyHash)) > PRODUCTS_MAX) {
      const why = `A site can have at most ${PRODUCTS_MAX} products. The rest was not imported.`;
      throw new ImportEndedError("invalid_request", why);
    }
  };
  await changeBatch(context, siteKeyHash, write, canUndo ? importId : undefined);
}

/** Reads lines and writes the valid products in batches. Other work runs between them. */
export async function writeLines(
  context: Context,
  target: Import,
  lines: AsyncIterable<ProductLine>,
  reader: ProductReader,
): Promise<void> {
  let batch: ListedProduct[] = [];
  const write = async () => {
    const products = batch;
    batch = [];
    await writeBatch(context, target, products);
    reader.written += products.length;
  };
  for await (const line of lines) {
    await reader.turn();
    const product = reader.read(line);
    if (product !== undefined) batch.push(product);
    if (batch.length >= BATCH_ROWS) await write();
    if (reader.refused >= REFUSED_MAX) break;
  }
  if (batch.length > 0) await write();
}

/**
 * Writes products while their lines arrive. Lines with a problem are reported and left out. With `replace`,
 * products that the file does not name are removed at its end, unless a line was refused. The start of the
 * import is recorded before anything is written. A crash leaves the products written so far; importing the
 * same file again completes it.
 */
export async function importProducts(
  context: Context,
  siteKeyHash: string,
  lines: AsyncIterable<ProductLine>,
  { replace, actor }: { readonly replace: boolean; readonly actor: Actor },
): Promise<Result<ImportReport, ImportFault>> {
  const owned = await ownedByShop(context.db, siteKeyHash);
  if (owned !== undefined) return owned;
  const importId = context.ids.id("imp");
  const target = { siteKeyHash, importId, updates: !replace, canUndo: true };
  return importAlone(context, siteKeyHash, async () => {
    await recordStart(context, target, { replace, actor });
    const reader = new ProductReader();
    await writeLines(context, target, lines, reader);
    return finish(context, target, reader, { replace, actor });
  });
}

/** Runs an import if no other import of the site is running. */
export async function importAlone<T>(
  context: Context,
  siteKeyHash: string,
  work: () => Promise<T>,
): Promise<Result<T, ImportFault>> {
  try {
    const run = await context.imports.run(siteKeyHash, work);
    if (run !== undefined) return ok(run.result);
    return refuse(
      "conflict",
      "Another import for this site is running. Wait until it is finished.",
    );
  } catch (error) {
    if (error instanceof ImportEndedError) return refuse(error.fault, error.message);
    if (error instanceof UnreadableListError) return refuse("invalid_request", error.message);
    throw error;
  }
}

async function recordStart(
  { audit, clock }: Context,
  { siteKeyHash, importId }: Import,
  { replace, actor }: { readonly replace: boolean; readonly actor: Actor },
): Promise<void> {
  const change = { kind: "products_import_begun", replace, import_id: importId };
  const now = clock.now();
  const records = [actorDraft("site.changed", actor, now, { change })];
  await audit.commit(siteKeyHash, async (tx) => {
    await beginImport(tx, siteKeyHash, { importId, importedAt: now });
    return { records, answer: null };
  });
}

async function finish(
  { audit, clock }: Context,
  { siteKeyHash, importId }: Import,
  { written, refused, problems }: ProductReader,
  { replace, actor }: { readonly replace: boolean; readonly actor: Actor },
): Promise<ImportReport> {
  const { answer } = await audit.commit(siteKeyHash, async (tx) => {
    const isWhole = replace && refused === 0;
    const remove = async () => {
      if (!isWhole) return 0;
      await keepOthers(tx, siteKeyHash, importId);
      return removeOthers(tx, siteKeyHash, importId);
    };
    const removed = await changingProducts(tx, siteKeyHash, clock.now(), remove, importId);
    const total = await countProducts(tx, siteKeyHash);
    const counts = { written, removed, refused, total };
    const change = { kind: "products_imported", import_id: importId, ...counts };
    const records = [actorDraft("site.changed", actor, clock.now(), { change })];
    return { records, answer: { ...counts, problems, stopped: refused >= REFUSED_MAX } };
  });
  return answer;
}
