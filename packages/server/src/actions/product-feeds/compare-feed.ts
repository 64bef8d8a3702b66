import type { Result } from "@gatehouse/protocol";
import { isJsonObject } from "@gatehouse/protocol";
import { type ReadFeed, readFeed } from "../../connectors/feed/feed.js";
import type { Context } from "../../context.js";
import type { ProductFeed } from "../../domain/product-feeds/product-feed.js";
import { changesOf, listedIds } from "../../domain/products/feed/store.js";
import {
  type ListedProduct,
  listedFields,
  PRODUCT_ID_CHARS_MAX,
} from "../../domain/products/product.js";
import type { ProductLine } from "../../domain/products/product-lines.js";
import { readText } from "../../domain/products/read-fields.js";
import { LINE_CHARS_MAX } from "../../domain/products/text-lines.js";
import type { LineFile } from "../../infra/files/line-file.js";
import { BATCH_ROWS, REFUSED_MAX } from "../products/import-products.js";
import { ProductReader } from "../products/product-reader.js";

/** What a feed would change. */
export interface FeedDifference {
  readonly reader: ProductReader;
  readonly added: number;
  readonly changed: number;
  /** Products that the feed listed before, and does not list now. */
  readonly missing: readonly string[];
  /** An item with an error can be any product, so none is known to be missing. */
  readonly isUncertain: boolean;
  /** Too many items were rejected, so the rest was not read. */
  readonly stopped: boolean;
}

const NONE_MISSING = { missing: [], isUncertain: false };

/** A product in the words of a list, with the fields that the feed has. */
function lineOf(product: ListedProduct): string {
  const given = Object.entries(listedFields(product)).filter(
    ([name]) => !product.absent.includes(name as never),
  );
  return JSON.stringify(Object.fromEntries(given));
}

/** The id of an item that was rejected, as products have it; undefined if none can be read. */
function idOf(line: ProductLine): string | undefined {
  const { id } = line.kind === "problem" ? line : isJsonObject(line.value) ? line.value : {};
  const read = readText(id ?? undefined, "id", LINE_CHARS_MAX);
  return read.ok ? read.value.slice(0, PRODUCT_ID_CHARS_MAX) : undefined;
}

/** Ends the reading of a feed with too many errors. */
class TooManyProblemsError extends Error {
  override readonly name = "TooManyProblemsError";
}

/** Compares the items of a feed with the products of a site while they arrive. */
class FeedComparison {
  readonly reader = new ProductReader();
  private readonly context: Context;
  private readonly siteKeyHash: string;
  private readonly changes: LineFile;
  /** Items that were rejected. What the site knows of them stays. */
  private readonly rejected = new Set<string>();
  /** What seems to be the ids of items that could not be read. Only ids of products without another item count. */
  private readonly guessed = new Set<string>();
  /** Whether an item was rejected that shows no id. */
  private hasUnknown = false;
  private batch: ListedProduct[] = [];
  added = 0;
  changed = 0;

  constructor(context: Context, siteKeyHash: string, changes: LineFile) {
    this.context = context;
    this.siteKeyHash = siteKeyHash;
    this.changes = changes;
  }

  async take(line: ProductLine): Promise<void> {
    const { problems } = this.reader;
    await this.reader.turn();
    const before = problems.length;
    const product = this.reader.read(line);
    if (product !== undefined) {
      this.batch.push(product);
      if (this.batch.length >= BATCH_ROWS) await this.compare();
      return;
    }
    if (this.reader.refused >= REFUSED_MAX) throw new TooManyProblemsError();
    const id = idOf(line);
    if (id === undefined) {
      this.hasUnknown = true;
      return;
    }
    if (line.kind === "problem") this.guessed.add(id);
    else this.rejected.add(id);
    // Many feeds are one long line, so that its number alone does not say which item is meant.
    const [last] = problems.slice(before);
    if (last !== undefined) problems[before] = { ...last, problem: `${id}: ${last.problem}` };
  }

  /** Compares what has gathered, and keeps what has to be written. */
  async compare(): Promise<void> {
    const batch = this.batch;
    this.batch = [];
    const { db } = this.context;
    const { added, changed } = await changesOf(db, this.siteKeyHash, batch, { updates: true });
    this.added += added.length;
    this.changed += changed.length;
    for (const product of [...added, ...changed]) await this.changes.add(lineOf(product));
  }

  async missing(): Promise<Pick<FeedDifference, "missing" | "isUncertain">> {
    const { rejected, guessed, reader } = this;
    const missing: string[] = [];
    let confirmed = 0;
    for (let after = ""; ; ) {
      const page = await listedIds(this.context.db, this.siteKeyHash, { after, limit: BATCH_ROWS });
      const unseen = page.filter((id) => !reader.seen.has(id));
      confirmed += unseen.filter((id) => guessed.has(id)).length;
      missing.push(...unseen.filter((id) => !rejected.has(id) && !guessed.has(id)));
      if (page.length < BATCH_ROWS) break;
      after = page.at(-1) as string;
    }
    return { missing, isUncertain: this.hasUnknown || confirmed < guessed.size };
  }
}

/** Fetches a feed and finds out what it would change. Nothing is written but the changes, into `changes`. */
export async function compareFeed(
  context: Context,
  feed: ProductFeed,
  changes: LineFile,
): Promise<
  Result<{ readonly read: ReadFeed | null; readonly difference: FeedDifference }, "failed">
> {
  const comparison = new FeedComparison(context, feed.siteKeyHash, changes);
  const { reader } = comparison;
  try {
    const read = await readFeed(context, feed, (line) => comparison.take(line));
    if (!read.ok) return read;
    await comparison.compare();
    const missing = read.value === null ? NONE_MISSING : await comparison.missing();
    const { added, changed } = comparison;
    const difference = { reader, added, changed, ...missing, stopped: false };
    return { ok: true, value: { read: read.value, difference: difference } };
  } catch (error) {
    if (!(error instanceof TooManyProblemsError)) throw error;
    const difference = { reader, added: 0, changed: 0, ...NONE_MISSING, stopped: true };
    return { ok: true, value: { read: null, difference: difference } };
  }
}
