import type { Queries } from "../src/infra/db/database.ts";
import { LOG_NAME } from "./shop.ts";
import { Violation } from "./trace.ts";

interface RecordRow {
  readonly seq: number;
  readonly prev_hash: string;
  readonly hash: string;
  readonly type: string;
  readonly record_id: string;
  readonly text: string;
}

/** What the newest record about a payment says. */
interface ToldPayment {
  readonly outcome: string;
  readonly orderId: string | undefined;
}

/** The shop's log as far as it is written. Each record is read once, after the step that wrote it. */
export class LogBook {
  private size = 0;
  private lastHash: string | undefined;
  /** Ids of records. */
  readonly recordIds = new Set<string>();
  /** By attempt. */
  readonly payments = new Map<string, ToldPayment>();
  private isPaused = false;
  /** Records that request a payment, and attempts that were ordered, after sales were paused and before they went on. */
  readonly requestedWhilePaused: number[] = [];
  readonly orderedWhilePaused: string[] = [];

  /** Reads what was added. Every record must follow from the one before. */
  async read(db: Queries): Promise<void> {
    const sql = "SELECT * FROM audit_records WHERE chain = ? AND seq >= ? ORDER BY seq";
    for (const record of await db.all<RecordRow>(sql, LOG_NAME, this.size)) {
      const { seq, prev_hash, hash, record_id } = record;
      const follows = this.lastHash === undefined || prev_hash === this.lastHash;
      if (seq !== this.size || !follows) {
        throw new Violation("the log verifies and replays", `record ${seq} follows from another`);
      }
      this.size++;
      this.lastHash = hash;
      this.recordIds.add(record_id);
      this.note(record);
    }
  }

  private note({ type, seq, text }: RecordRow): void {
    const { attempt_id, decision, order_id, release, change, payment } = JSON.parse(text);
    if (change?.kind === "paused") this.isPaused = true;
    if (change?.kind === "resumed") this.isPaused = false;
    if (payment === "requested" && this.isPaused) this.requestedWhilePaused.push(seq);
    if (type !== "payment.outcome") return;
    if (order_id !== undefined && this.isPaused) this.orderedWhilePaused.push(attempt_id);
    // That an authorization was voided says nothing new about the purchase.
    if (release === "done" || release === "captured") return;
    this.payments.set(attempt_id, { outcome: decision.outcome, orderId: order_id });
  }
}
