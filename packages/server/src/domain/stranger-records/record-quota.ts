import type { Clock } from "../../infra/clock.js";
import type { Database } from "../../infra/db/database.js";
import type { Log } from "../../infra/log/log.js";
import { DAY_MS } from "../../infra/time.js";
import { addRecordBytes, recordBytes } from "./store.js";

/** How long bytes are counted only in memory. A process that is killed loses them. */
const PERSIST_MS = 10_000;

interface SiteDay {
  readonly siteKeyHash: string;
  readonly day: number;
  /** The bytes that all nodes have stored. */
  stored: number;
  /** The bytes that this process has added since. */
  added: number;
}

const startOfDay = (now: number) => now - (now % DAY_MS);

/**
 * Limits the bytes of records that strangers' calls add to each site's log in a UTC day. Counted in memory
 * and written every ten seconds, so a restart or another node does not reset the count. One entry for
 * each site that was called today.
 */
export class RecordQuota {
  private readonly tools: { readonly db: Database; readonly clock: Clock; readonly log: Log };
  private readonly bytesPerDay: number;
  private readonly days = new Map<string, Promise<SiteDay>>();
  private cancelTimer: (() => void) | undefined;

  constructor(tools: RecordQuota["tools"], bytesPerDay: number) {
    this.tools = tools;
    this.bytesPerDay = bytesPerDay;
  }

  /** How long until a site's log takes records of strangers again; 0 while it does. */
  async waitMs(siteKeyHash: string): Promise<number> {
    const now = this.tools.clock.now();
    const { stored, added } = await this.dayOf(siteKeyHash, now);
    return stored + added < this.bytesPerDay ? 0 : startOfDay(now) + DAY_MS - now;
  }

  /** Counts what was recorded. */
  add(siteKeyHash: string, bytes: number): void {
    const counted = this.dayOf(siteKeyHash, this.tools.clock.now());
    // While the day cannot be read no call is admitted, so there is nothing to count.
    counted.then(
      (day) => {
        day.added += bytes;
      },
      () => undefined,
    );
    this.cancelTimer ??= this.tools.clock.after(PERSIST_MS, () => {
      this.cancelTimer = undefined;
      this.persist().catch((error: unknown) => {
        this.tools.log.warn({ error }, "stranger_records.not_counted");
      });
    });
  }

  private dayOf(siteKeyHash: string, now: number): Promise<SiteDay> {
    const day = startOfDay(now);
    const key = `${siteKeyHash} ${day}`;
    let usage = this.days.get(key);
    if (usage === undefined) {
      usage = recordBytes(this.tools.db, siteKeyHash, day).then((stored) => ({
        siteKeyHash,
        day,
        stored,
        added: 0,
      }));
      this.days.set(key, usage);
      // The next call reads it again.
      usage.catch(() => this.days.delete(key));
    }
    return usage;
  }

  /** Writes the counts. Counts that could not be written stay in memory for the next time. */
  async persist(): Promise<void> {
    const today = startOfDay(this.tools.clock.now());
    for (const [key, counted] of [...this.days]) {
      const day = await counted;
      const { added } = day;
      if (added > 0) {
        day.stored = await this.tools.db.transaction((tx) => addRecordBytes(tx, day, added));
        day.added -= added;
      }
      if (day.day < today && day.added === 0) this.days.delete(key);
    }
  }

  async close(): Promise<void> {
    this.cancelTimer?.();
    await this.persist().catch((error: unknown) => {
      this.tools.log.warn({ error }, "stranger_records.not_counted");
    });
  }
}
