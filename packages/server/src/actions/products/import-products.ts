import { type JsonObject, type JsonValue, ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import { type ListedProduct, PRODUCTS_MAX, readProduct } from "../../domain/products/product.js";
import { countProducts, removeOthers, writeProducts } from "../../domain/products/store.js";
import { lockSite } from "../../domain/sites/store.js";
import { type ProductLine, UnreadableListError } from "./product-lines.js";

/** Rows written in one transaction: others get their turn in between. */
const BATCH_ROWS = 200;
/** Problems that are told one by one; the rest is counted. */
const PROBLEMS_MAX = 100;

/** After as many refused lines a list is not what it should be, and is not read on. */
const REFUSED_MAX = 1000;
/** Lines read before others get their turn. */
const TURN_LINES = 100;

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
  /** Too many lines were refused; what came after them was not read. */
  readonly stopped: boolean;
}

type ImportFault = "not_found" | "conflict" | "invalid_request";

/** Gathers what can be written, and what is wrong with the rest. */
class Lines {
  private readonly seen = new Set<string>();
  readonly problems: ImportProblem[] = [];
  refused = 0;
  written = 0;

  read(line: ProductLine): ListedProduct | undefined {
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

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** The site was deleted, or has more products than it may, while a list was read. */
class ImportEndedError extends Error {
  override readonly name = "ImportEndedError";
  readonly fault: ImportFault;

  constructor(fault: ImportFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

interface Import {
  readonly siteKeyHash: string;
  readonly importId: string;
  /** Whether what a line does not speak of stays. */
  readonly updates: boolean;
}

async function writeBatch(
  { clock, db }: Context,
  { siteKeyHash, importId, updates }: Import,
  products: readonly ListedProduct[],
): Promise<void> {
  await db.transaction(async (tx) => {
    if (!(await lockSite(tx, siteKeyHash))) {
      throw new ImportEndedError("not_found", "The site was deleted meanwhile.");
    }
    await writeProducts(tx, siteKeyHash, products, { importId, now: clock.now(), updates });
    if ((await countProducts(tx, siteKeyHash)) > PRODUCTS_MAX) {
      const why = `A site has at most ${PRODUCTS_MAX} products; the rest was not imported.`;
      throw new ImportEndedError("invalid_request", why);
    }
  });
}

/** Reads lines and writes what is right in them, batch by batch, while others get their turn. */
async function readAll(
  context: Context,
  one: Import,
  lines: AsyncIterable<ProductLine>,
  read: Lines,
): Promise<void> {
  let batch: ListedProduct[] = [];
  const write = async () => {
    const products = batch;
    batch = [];
    await writeBatch(context, one, products);
    read.written += products.length;
  };
  let count = 0;
  for await (const line of lines) {
    const product = read.read(line);
    if (product !== undefined) batch.push(product);
    if (batch.length >= BATCH_ROWS) await write();
    if (++count % TURN_LINES === 0) await nextTurn();
    if (read.refused >= REFUSED_MAX) break;
  }
  if (batch.length > 0) await write();
}

/** Sites whose products are being imported by this process. */
const importing = new Set<string>();

/**
 * Writes products as their lines come. What is wrong is told by its line and left out; the rest is
 * written. With `replace`, what the list does not name is removed at its end, unless a line of it
 * was refused. That it began is in the log before anything is written: cut short, it leaves what was
 * written so far, and importing again makes it whole.
 */
export async function importProducts(
  context: Context,
  siteKeyHash: string,
  lines: AsyncIterable<ProductLine>,
  { replace, actor }: { readonly replace: boolean; readonly actor: Actor },
): Promise<Result<ImportReport, ImportFault>> {
  if (importing.has(siteKeyHash)) {
    return refuse("conflict", "An import of this site is under way. Wait for its end.");
  }
  importing.add(siteKeyHash);
  try {
    const one = { siteKeyHash, importId: context.ids.id("imp"), updates: !replace };
    await record(context, one, actor, { kind: "products_import_begun", replace });
    const read = new Lines();
    await readAll(context, one, lines, read);
    return ok(await finish(context, one, read, { replace, actor }));
  } catch (error) {
    if (error instanceof ImportEndedError) return refuse(error.fault, error.message);
    if (error instanceof UnreadableListError) return refuse("invalid_request", error.message);
    throw error;
  } finally {
    importing.delete(siteKeyHash);
  }
}

async function record(
  { audit, clock }: Context,
  { siteKeyHash, importId }: Import,
  actor: Actor,
  about: JsonObject,
): Promise<void> {
  const change = { ...about, import_id: importId };
  const records = [actorDraft("site.changed", actor, clock.now(), { change })];
  await audit.commit(siteKeyHash, async () => ({ records, answer: null }));
}

async function finish(
  { audit, clock }: Context,
  { siteKeyHash, importId }: Import,
  { written, refused, problems }: Lines,
  { replace, actor }: { readonly replace: boolean; readonly actor: Actor },
): Promise<ImportReport> {
  const { answer } = await audit.commit(siteKeyHash, async (tx) => {
    const removed = replace && refused === 0 ? await removeOthers(tx, siteKeyHash, importId) : 0;
    const total = await countProducts(tx, siteKeyHash);
    const told = { written, removed, refused, total };
    const change = { kind: "products_imported", import_id: importId, ...told };
    const records = [actorDraft("site.changed", actor, clock.now(), { change })];
    return { records, answer: { ...told, problems, stopped: refused >= REFUSED_MAX } };
  });
  return answer;
}

/** Makes a whole list the site's products, in one transaction: all of it, or nothing. */
export async function setProducts(
  { audit, clock, ids }: Context,
  siteKeyHash: string,
  products: readonly JsonValue[],
  actor: Actor,
): Promise<Result<ImportReport, ImportFault>> {
  const read = new Lines();
  const list = products.flatMap((value, line) => read.read({ line, value }) ?? []);
  const [first] = read.problems;
  if (first !== undefined) {
    return refuse("invalid_request", `products.${first.line}: ${first.problem}.`);
  }
  const importId = ids.id("imp");
  const { answer } = await audit.commit(siteKeyHash, async (tx) => {
    const now = clock.now();
    await writeProducts(tx, siteKeyHash, list, { importId, now, updates: false });
    const removed = await removeOthers(tx, siteKeyHash, importId);
    const told = { written: list.length, removed, refused: 0, total: list.length };
    const change = { kind: "products_set", import_id: importId, ...told };
    const records = [actorDraft("site.changed", actor, now, { change })];
    return { records, answer: { ...told, problems: [], stopped: false } };
  });
  return ok(answer);
}
