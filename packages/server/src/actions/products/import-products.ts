import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import { beginImport, keepOthers, keepReplaced } from "../../domain/products/imports/store.js";
import { PRODUCTS_MAX } from "../../domain/products/product.js";
import { type ProductLine, UnreadableListError } from "../../domain/products/product-lines.js";
import { countProducts, removeOthers } from "../../domain/products/store.js";
import { writeProducts } from "../../domain/products/written/store.js";
import { lockSite } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { changingProducts, ownedByShop } from "./changing-products.js";
import {
  byLine,
  completeLines,
  existingOf,
  type ImportProblem,
  ProductReader,
  type ReadLine,
} from "./product-reader.js";

/** Rows written in one transaction; other work runs between transactions. */
export const BATCH_ROWS = 200;
/** After this many refused lines the rest of the file is not read. */
export const REFUSED_MAX = 1000;
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

/** Writes the valid lines of a batch. Lines are completed here, so that nothing older than this is written. */
async function writeBatch(
  context: Context,
  { siteKeyHash, importId, updates, canUndo }: Import,
  batch: readonly ReadLine[],
): Promise<{ readonly written: number; readonly problems: readonly ImportProblem[] }> {
  const partial = batch.flatMap((one) => (one.kind === "partial" ? one.productId : []));
  const write = async (tx: Transaction, now: number) => {
    const existing = await existingOf(tx, siteKeyHash, partial);
    const { complete, problems } = completeLines(batch, existing);
    const listed = complete.map(({ product }) => product);
    if (canUndo) await keepReplaced(tx, siteKeyHash, listed, { updates });
    await writeProducts(tx, siteKeyHash, listed, { importId, now, updates });
    if ((await countProducts(tx, siteKeyHash)) > PRODUCTS_MAX) {
      const why = `A site can have at most ${PRODUCTS_MAX} products. The rest was not imported.`;
      throw new ImportEndedError("invalid_request", why);
    }
    return { written: listed.length, problems };
  };
  return changeBatch(context, siteKeyHash, write, canUndo ? importId : undefined);
}

/** Reads lines and writes the valid products in batches. Other work runs between them. */
export async function writeLines(
  context: Context,
  target: Import,
  lines: AsyncIterable<ProductLine>,
  reader: ProductReader,
): Promise<void> {
  let batch: ReadLine[] = [];
  const write = async () => {
    const rows = batch;
    batch = [];
    const { written, problems } = await writeBatch(context, target, rows);
    reader.written += written;
    for (const { line, problem } of problems) reader.refuse(line, problem);
  };
  for await (const line of lines) {
    await reader.turn();
    const read = reader.readLine(line, target.updates);
    if (read !== undefined) batch.push(read);
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
    const stopped = refused >= REFUSED_MAX;
    return { records, answer: { ...counts, problems: byLine(problems), stopped } };
  });
  return answer;
}
