import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { NOTES_MAX, type OrderNote } from "../../domain/orders/adjustments/adjustment.js";
import { insertNote, notesOf } from "../../domain/orders/adjustments/store.js";
import { lockOrder } from "../../domain/orders/store.js";
import { checkFreeWords } from "../../purchase/orders/line-change.js";

/** Writes a note for the people of the site. Nobody is notified, and it is not recorded. */
export function noteOrder(
  { clock, db, ids }: Context,
  { siteKeyHash, orderId }: { readonly siteKeyHash: string; readonly orderId: string },
  { text, writtenBy }: { readonly text: string; readonly writtenBy: string },
): Promise<Result<OrderNote, "not_found" | "conflict">> {
  return db.transaction(async (tx) => {
    const order = await lockOrder(tx, siteKeyHash, orderId);
    if (order === undefined) return refuse("not_found", "The site has no such order.");
    const words = checkFreeWords(order, text);
    if (!words.ok) return words;
    if ((await notesOf(tx, orderId)).length >= NOTES_MAX) {
      return refuse("conflict", `An order can have at most ${NOTES_MAX} notes.`);
    }
    const createdAt = clock.now();
    const noteId = ids.timeId("note", createdAt);
    const note = { noteId, siteKeyHash, orderId, text, writtenBy, createdAt };
    await insertNote(tx, note);
    return ok(note);
  });
}
