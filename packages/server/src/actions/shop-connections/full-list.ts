import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft, shopActor } from "../../domain/audit/drafts.js";
import { countListed, listedIds, pauseMissing } from "../../domain/products/feed/store.js";
import type {
  ArrivingSync,
  FinishedSync,
  ShopConnection,
} from "../../domain/shop-connections/shop-connection.js";
import { shopConnection, writeSync } from "../../domain/shop-connections/store.js";
import {
  deleteOtherVersions,
  keptAmong,
  type WholeList,
} from "../../domain/shop-products/store.js";
import { MINUTE_MS } from "../../infra/time.js";
import { changingProducts } from "../products/changing-products.js";
import { BATCH_ROWS } from "../products/import-products.js";
import { NO_CONNECTION } from "./end-connection.js";

/** One part of a full list of products. */
export interface SyncPart {
  readonly id: string;
  readonly part: number;
  readonly last: boolean;
}

/** A shop system makes its list this long before the first part arrives. What changed since need not be in it. */
const LISTING_MS_MAX = 10 * MINUTE_MS;

const isWhole = ({ parts, last }: ArrivingSync) => last !== null && parts.length === last;

function withPart(before: ArrivingSync | null, { id, part, last }: SyncPart, now: number) {
  const sync: ArrivingSync =
    before?.id === id ? before : { id, startedAt: now, parts: [], last: null };
  const parts = sync.parts.includes(part) ? sync.parts : [...sync.parts, part];
  return { ...sync, parts, last: last ? part : sync.last };
}

const listOf = (siteKeyHash: string, { id, startedAt }: { id: string; startedAt: number }) => {
  return { siteKeyHash, syncId: id, changedSince: startedAt - LISTING_MS_MAX } satisfies WholeList;
};

/** Notes that a part has arrived. When all have, products that are in none of them are paused. */
export async function arrive(
  context: Context,
  connection: ShopConnection,
  part: SyncPart,
): Promise<void> {
  const { audit, clock } = context;
  const { siteKeyHash, connectionId } = connection;
  const { answer: whole } = await audit.commit(siteKeyHash, async (tx) => {
    const current = await shopConnection(tx, siteKeyHash);
    // A list that is finished stays so, even if one of its parts arrives again.
    const isDone = current?.synced?.id === part.id;
    if (current?.connectionId !== connectionId || isDone) return { records: [], answer: null };
    const sync = withPart(current.sync, part, clock.now());
    await writeSync(tx, { ...current, sync });
    return { records: [], answer: isWhole(sync) ? sync : null };
  });
  if (whole !== null) await finish(context, connection, whole);
}

async function missingFrom(
  { db }: Context,
  list: WholeList,
): Promise<{ readonly missing: readonly string[]; readonly listed: number }> {
  const { siteKeyHash } = list;
  const missing: string[] = [];
  for (let after = ""; ; ) {
    const ids = await listedIds(db, siteKeyHash, { after, limit: BATCH_ROWS });
    const kept = await keptAmong(db, list, ids);
    missing.push(...ids.filter((id) => !kept.has(id)));
    const [last] = ids.slice(-1);
    if (last === undefined) break;
    after = last;
  }
  return { missing, listed: await countListed(db, siteKeyHash) };
}

/** Pauses products in batches, with a record each. Returns how many they were. */
async function pauseAll(
  { audit, clock }: Context,
  { siteKeyHash, connectionId }: ShopConnection,
  list: WholeList,
  ids: readonly string[],
  actor: Actor,
): Promise<number> {
  let paused = 0;
  for (let at = 0; at < ids.length; at += BATCH_ROWS) {
    const { answer } = await audit.commit(siteKeyHash, async (tx) => {
      const now = clock.now();
      const batch = ids.slice(at, at + BATCH_ROWS);
      // What was sent since is not missing any more, and what another connection has is its own.
      const isCurrent = (await shopConnection(tx, siteKeyHash))?.connectionId === connectionId;
      const kept = isCurrent ? await keptAmong(tx, list, batch) : new Set(batch);
      const missing = batch.filter((id) => !kept.has(id));
      if (missing.length === 0) return { records: [], answer: 0 };
      const pause = () => pauseMissing(tx, siteKeyHash, missing, now);
      const count = await changingProducts(tx, siteKeyHash, now, pause);
      const change = { kind: "shop_products_paused", paused: count };
      return { records: [actorDraft("site.changed", actor, now, { change })], answer: count };
    });
    paused += answer;
  }
  return paused;
}

/**
 * Pauses the products that a full list leaves out, unless it leaves out more than half of them: a shop system that
 * is half broken must not empty a shop. A crash before the end leaves the list whole, and its last part comes again.
 */
async function finish(
  context: Context,
  connection: ShopConnection,
  sync: ArrivingSync,
): Promise<void> {
  const { audit, clock } = context;
  const { siteKeyHash, connectionId } = connection;
  const list = listOf(siteKeyHash, sync);
  const { missing, listed } = await missingFrom(context, list);
  const isDoubtful = missing.length * 2 > listed;
  const actor = shopActor(connectionId);
  const paused = isDoubtful ? 0 : await pauseAll(context, connection, list, missing, actor);
  await audit.commit(siteKeyHash, async (tx) => {
    const now = clock.now();
    const current = await shopConnection(tx, siteKeyHash);
    if (current?.sync?.id !== sync.id) return { records: [], answer: null };
    const { id, startedAt } = sync;
    const kept = listed - missing.length;
    const unconfirmed = isDoubtful ? missing.length : 0;
    const synced: FinishedSync = { id, startedAt, at: now, listed: kept, paused, unconfirmed };
    await writeSync(tx, { ...current, sync: null, synced });
    if (!isDoubtful) await deleteOtherVersions(tx, list);
    return { records: [], answer: null };
  });
}

/** Pauses the products that the last full list left out, because the owner says that it was right. */
export async function confirmMissing(
  context: Context,
  siteKeyHash: string,
  actor: Actor,
): Promise<Result<number, "not_found" | "conflict">> {
  const { audit, db } = context;
  const connection = await shopConnection(db, siteKeyHash);
  if (connection === undefined) return NO_CONNECTION;
  const { synced } = connection;
  if (synced === null || synced.unconfirmed === 0) {
    return refuse("conflict", "No products wait for your confirmation.");
  }
  const list = listOf(siteKeyHash, synced);
  const { missing } = await missingFrom(context, list);
  const paused = await pauseAll(context, connection, list, missing, actor);
  await audit.commit(siteKeyHash, async (tx) => {
    const current = await shopConnection(tx, siteKeyHash);
    if (current?.synced?.id === synced.id) {
      await writeSync(tx, { ...current, synced: { ...synced, paused, unconfirmed: 0 } });
    }
    return { records: [], answer: null };
  });
  return ok(paused);
}
