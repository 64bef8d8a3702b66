import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import {
  countReplaced,
  deleteLastImport,
  type LastImport,
  lastImport,
  restoreReplaced,
} from "../../domain/products/imports/store.js";
import { countProducts } from "../../domain/products/store.js";
import { changingProducts } from "./changing-products.js";
import { type ImportFault, importAlone } from "./import-products.js";

/** The last import of a site, and what undoing it would do. */
export interface UndoableImport extends LastImport {
  /** Products that it added, which would be removed. */
  readonly added: number;
  /** Products that it changed or removed, which would be restored. */
  readonly replaced: number;
}

/** What undoing an import did. */
export interface UndoReport {
  readonly removed: number;
  readonly restored: number;
  /** How many products the site has now. */
  readonly total: number;
}

const NOTHING_TO_UNDO =
  "No import can be undone. Something else has changed the products since the last one.";

/** Undefined if no import can be undone. */
export async function undoableImport(
  { db }: Context,
  siteKeyHash: string,
): Promise<UndoableImport | undefined> {
  const last = await lastImport(db, siteKeyHash);
  return last && { ...last, ...(await countReplaced(db, siteKeyHash)) };
}

/**
 * Undoes the last import in one transaction, unless something else has changed the products since. Sales are no such
 * change: what was sold since is not in stock again.
 */
export async function undoImport(
  context: Context,
  siteKeyHash: string,
  importId: string,
  actor: Actor,
): Promise<Result<UndoReport, ImportFault>> {
  const { audit, clock } = context;
  const undone = await importAlone(context, siteKeyHash, async () => {
    const { answer } = await audit.commit<Result<UndoReport, "conflict">>(
      siteKeyHash,
      async (tx) => {
        const last = await lastImport(tx, siteKeyHash);
        if (last?.importId !== importId) {
          return { records: [], answer: refuse("conflict", NOTHING_TO_UNDO) };
        }
        const now = clock.now();
        const { added: removed, replaced: restored } = await countReplaced(tx, siteKeyHash);
        const restore = () => restoreReplaced(tx, siteKeyHash, now);
        await changingProducts(tx, siteKeyHash, now, restore, importId);
        await deleteLastImport(tx, siteKeyHash);
        const counts = { removed, restored, total: await countProducts(tx, siteKeyHash) };
        const change = { kind: "products_import_undone", import_id: importId, ...counts };
        return {
          records: [actorDraft("site.changed", actor, now, { change })],
          answer: ok(counts),
        };
      },
    );
    return answer;
  });
  return undone.ok ? undone.value : undone;
}
