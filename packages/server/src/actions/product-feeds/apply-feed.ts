import type { Result } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import {
  type FeedHold,
  holdMissing,
  MISSING_DAYS_MAX,
} from "../../domain/product-feeds/product-feed.js";
import {
  countLongMissing,
  markListed,
  pauseMissing,
  removeLongMissing,
} from "../../domain/products/feed/store.js";
import { jsonLines } from "../../domain/products/product-lines.js";
import { countProducts } from "../../domain/products/store.js";
import type { Transaction } from "../../infra/db/database.js";
import type { LineFile } from "../../infra/files/line-file.js";
import { DAY_MS } from "../../infra/time.js";
import {
  BATCH_ROWS,
  changeBatch,
  type ImportFault,
  importAlone,
  writeLines,
} from "../products/import-products.js";
import { ProductReader } from "../products/product-reader.js";
import type { FeedDifference } from "./compare-feed.js";
import { notifyOfMissing } from "./notify-missing.js";

/** What a feed changed. */
export interface FeedChanges {
  readonly paused: number;
  readonly removed: number;
  /** Products that are missing, but stay on sale for now, because an item with an error can be any of them. */
  readonly hold: FeedHold | undefined;
}

function* batchesOf<T>(list: readonly T[]): Generator<T[]> {
  for (let at = 0; at < list.length; at += BATCH_ROWS) yield list.slice(at, at + BATCH_ROWS);
}

/** Writes the changes as an import does, then notes that the feed lists these products. */
async function writeChanges(
  context: Context,
  siteKeyHash: string,
  importId: string,
  changes: LineFile,
): Promise<void> {
  const reader = new ProductReader();
  const target = { siteKeyHash, importId, updates: true, canUndo: false };
  await writeLines(context, target, jsonLines(changes.read()), reader);
  for (const ids of batchesOf([...reader.seen])) {
    await changeBatch(context, siteKeyHash, (tx) => markListed(tx, siteKeyHash, ids));
  }
}

async function pauseInBatches(
  context: Context,
  siteKeyHash: string,
  missing: readonly string[],
): Promise<number> {
  let paused = 0;
  for (const batch of batchesOf(missing)) {
    paused += await changeBatch(context, siteKeyHash, (tx, now) =>
      pauseMissing(tx, siteKeyHash, batch, now),
    );
  }
  return paused;
}

/**
 * Pauses products that were kept on sale, and notifies the owner. In one transaction, because there are not many, and
 * after a crash between the two nothing would show that there is still something to notify of.
 */
async function pauseHeld(
  context: Context,
  siteKeyHash: string,
  held: readonly string[],
): Promise<number> {
  if (held.length === 0) return 0;
  return changeBatch(context, siteKeyHash, async (tx, now) => {
    let count = 0;
    for (const batch of batchesOf(held)) count += await pauseMissing(tx, siteKeyHash, batch, now);
    if (count > 0) {
      await notifyOfMissing(context, tx, { siteKeyHash, count, pausedAt: null, now });
    }
    return count;
  });
}

interface Application {
  readonly changes: LineFile;
  readonly actor: Actor;
  /** What an earlier fetch has kept on sale. */
  readonly held: FeedHold | undefined;
}

/**
 * Makes a site's products those of its feed. The start is recorded with what is going to change, before anything is
 * written. Nothing is recorded if nothing changes. A crash leaves a part of the changes; the next fetch makes the rest.
 */
export function applyFeed(
  context: Context,
  siteKeyHash: string,
  difference: FeedDifference,
  { changes, actor, held }: Application,
): Promise<Result<FeedChanges, ImportFault>> {
  const { audit, clock, db, ids } = context;
  const { added, changed } = difference;
  const before = clock.now() - MISSING_DAYS_MAX * DAY_MS;
  return importAlone(context, siteKeyHash, async () => {
    const longMissing = await countLongMissing(db, siteKeyHash, before);
    const isUncertain = difference.isUncertain && difference.missing.length + longMissing > 0;
    const holding = isUncertain ? holdMissing(held, difference.missing, clock.now()) : undefined;
    const missing = holding?.pause ?? difference.missing;
    const expires = holding?.isOver ?? true;
    const expired = expires ? longMissing : 0;
    const hold = holding?.hold;
    if (changes.count === 0 && missing.length === 0 && expired === 0) {
      return { paused: 0, removed: 0, hold };
    }
    const importId = ids.id("imp");
    const record = (change: Record<string, string | number>) =>
      actorDraft("site.changed", actor, clock.now(), {
        change: { ...change, import_id: importId },
      });
    const planned = { added, changed, paused: missing.length, removed: expired };
    const begun = [record({ kind: "product_feed_begun", ...planned })];
    await audit.commit(siteKeyHash, async () => ({ records: begun, answer: null }));
    await writeChanges(context, siteKeyHash, importId, changes);
    const paused =
      hold === undefined
        ? await pauseInBatches(context, siteKeyHash, missing)
        : await pauseHeld(context, siteKeyHash, missing);
    const remove = (tx: Transaction) => removeLongMissing(tx, siteKeyHash, before);
    const removed = expires ? await changeBatch(context, siteKeyHash, remove) : 0;
    await audit.commit(siteKeyHash, async (tx) => {
      const total = await countProducts(tx, siteKeyHash);
      const counts = { added, changed, paused, removed, refused: difference.reader.refused, total };
      return { records: [record({ kind: "product_feed_applied", ...counts })], answer: null };
    });
    return { paused, removed, hold };
  });
}
