import type { Context } from "../../context.js";
import { actorDraft, shopActor } from "../../domain/audit/drafts.js";
import { changesOf, markListed } from "../../domain/products/feed/store.js";
import { PRODUCTS_MAX } from "../../domain/products/product.js";
import { countProducts, deleteProduct } from "../../domain/products/store.js";
import { writeProducts } from "../../domain/products/written/store.js";
import type { ShopConnection } from "../../domain/shop-connections/shop-connection.js";
import { siteConnection } from "../../domain/shop-connections/store.js";
import { countVersions, versionsAmong, writeVersion } from "../../domain/shop-products/store.js";
import { lockSite } from "../../domain/sites/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { changingProducts } from "../products/changing-products.js";
import { BATCH_ROWS } from "../products/import-products.js";
import { arrive } from "./full-list.js";
import {
  type ProductChange,
  type ProductProblem,
  type ProductsMessage,
  readChanges,
} from "./read-products.js";

/** What became of a message about products. */
export interface TakenProducts {
  readonly stored: number;
  readonly ignored: number;
  readonly removed: number;
  readonly problems: readonly ProductProblem[];
}

/** A shop system sends whole products, so a field that it leaves out is empty now. */
const WHOLE = { updates: false };

/** Versions of one site: those of its products, and as many of products that are gone. */
const VERSIONS_MAX = 2 * PRODUCTS_MAX;

interface Batch {
  readonly siteKeyHash: string;
  /** The full list that the changes are in; null for a change by itself. */
  readonly syncId: string | null;
  readonly importId: string;
  readonly now: number;
}

type Versions = Awaited<ReturnType<typeof versionsAmong>>;

/** Notes the versions, and what a full list has. */
async function writeVersions(
  tx: Transaction,
  { siteKeyHash, syncId, now }: Batch,
  changes: readonly ProductChange[],
  known: ReadonlyMap<string, Versions[number]>,
): Promise<void> {
  const isUnknown = ({ productId, product }: ProductChange) =>
    product === null && !known.has(productId);
  // A product that was never there needs no version if there are many of them already.
  const isFull =
    changes.some(isUnknown) && (await countVersions(tx, siteKeyHash, VERSIONS_MAX)) >= VERSIONS_MAX;
  for (const change of changes) {
    if (isFull && isUnknown(change)) continue;
    const { productId, version, product } = change;
    const before = known.get(productId);
    const isNew = version > (before?.version ?? -1);
    const isListed = syncId !== null && product !== null;
    if (!isNew && !isListed) continue;
    await writeVersion(tx, {
      siteKeyHash,
      productId,
      version: isNew ? version : (before?.version ?? version),
      syncId: isListed ? syncId : (before?.syncId ?? null),
      receivedAt: isNew ? now : (before?.receivedAt ?? now),
    });
  }
}

/** Writes what is newer than what is stored. Products that would be more than a site can have are left out. */
async function writeBatch(tx: Transaction, batch: Batch, changes: readonly ProductChange[]) {
  const { siteKeyHash, importId, now } = batch;
  const ids = changes.map(({ productId }) => productId);
  const versions = await versionsAmong(tx, siteKeyHash, ids);
  const known = new Map(versions.map((one) => [one.productId, one]));
  const fresh = changes.filter(
    ({ productId, version }) => version > (known.get(productId)?.version ?? -1),
  );
  const products = fresh.flatMap(({ product }) => product ?? []);
  const { added, changed } = await changesOf(tx, siteKeyHash, products, WHOLE);
  const room = added.length === 0 ? 0 : PRODUCTS_MAX - (await countProducts(tx, siteKeyHash));
  const left = new Set(added.slice(Math.max(room, 0)).map(({ productId }) => productId));
  const isKept = ({ productId }: { readonly productId: string }) => !left.has(productId);
  const written = [...added.filter(isKept), ...changed];
  // A full list brings back what was paused, also if it has not changed.
  const named = batch.syncId === null ? fresh : changes;
  const listed = named
    .filter((one) => one.product !== null && isKept(one))
    .map(({ productId }) => productId);
  const gone = fresh.filter(({ product }) => product === null);
  const write = async () => {
    await writeProducts(tx, siteKeyHash, written, { ...WHOLE, importId, now });
    if (listed.length > 0) await markListed(tx, siteKeyHash, listed);
    let removed = 0;
    for (const { productId } of gone) {
      if (await deleteProduct(tx, siteKeyHash, productId)) removed++;
    }
    return removed;
  };
  const isChange = written.length + gone.length > 0 || batch.syncId !== null;
  const removed = isChange ? await changingProducts(tx, siteKeyHash, now, write) : 0;
  await writeVersions(tx, batch, changes.filter(isKept), known);
  const counts = { added: written.length - changed.length, changed: changed.length, removed };
  return {
    stored: products.length - left.size,
    ignored: changes.length - fresh.length,
    counts,
    left,
  };
}

/**
 * A batch in a separate commit, with a record if it changes anything. Undefined if the site is gone, or connected
 * again since the message arrived.
 */
async function commitBatch(
  { audit, clock, ids }: Context,
  { siteKeyHash, connectionId }: ShopConnection,
  syncId: string | null,
  changes: readonly ProductChange[],
) {
  const importId = ids.id("imp");
  const { answer } = await audit.commit(siteKeyHash, async (tx) => {
    const now = clock.now();
    const isThere = await lockSite(tx, siteKeyHash);
    const current = await siteConnection(tx, siteKeyHash);
    if (!isThere || current?.connectionId !== connectionId) {
      return { records: [], answer: undefined };
    }
    const written = await writeBatch(tx, { siteKeyHash, syncId, importId, now }, changes);
    const { counts } = written;
    const isChanged = counts.added + counts.changed + counts.removed > 0;
    const change = { kind: "shop_products", ...counts };
    const record = actorDraft("site.changed", shopActor(connectionId), now, { change });
    return { records: isChanged ? [record] : [], answer: written };
  });
  return answer;
}

/**
 * Writes the products of a message. A product whose version is not higher than the stored one is ignored, so messages
 * can arrive twice and in any order. A crash leaves a part; the shop system sends the message again.
 */
export async function takeProducts(
  context: Context,
  connection: ShopConnection,
  message: ProductsMessage,
): Promise<TakenProducts> {
  const { changes, problems } = readChanges(message, context.clock.now());
  const { sync } = message;
  const sum = { stored: 0, ignored: 0, removed: 0 };
  for (let at = 0; at < changes.length; at += BATCH_ROWS) {
    const rows = changes.slice(at, at + BATCH_ROWS);
    const written = await commitBatch(context, connection, sync?.id ?? null, rows);
    if (written === undefined) break;
    sum.stored += written.stored;
    sum.ignored += written.ignored;
    sum.removed += written.counts.removed;
    const problem = `a site can have at most ${PRODUCTS_MAX} products`;
    problems.push(...[...written.left].map((id) => ({ id, problem })));
  }
  if (sync !== null) await arrive(context, connection, sync);
  return { ...sum, problems };
}
