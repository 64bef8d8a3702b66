import { MINUTE_MS } from "../../infra/time.js";

/** The endpoint that refused a request. */
export type RejectionEndpoint = "mandates" | "mcp";

/** Refusals that are counted together: those of one agent, or of all strangers at an endpoint. */
export interface RejectedCaller {
  readonly siteKeyHash: string;
  readonly endpoint: RejectionEndpoint;
  /** An agent that the site's owner has approved; undefined for all other callers. */
  readonly agentId?: string | undefined;
}

/** Agents whose refusals are counted separately; further ones count with the site's strangers. */
const AGENTS_MAX = 10_000;

/** The counted refusals of one caller since the start of a minute. */
interface Tally {
  readonly caller: RejectedCaller;
  /** The start of the first minute it counts. */
  readonly from: number;
  /** When it counted last. */
  lastAt: number;
  readonly reasons: Map<string, number>;
}

/** Counts that go into one record. They never change, so a retry writes the same record. */
export interface SealedCounts {
  readonly caller: RejectedCaller;
  /** The record's id, the same for every attempt, so that a successful attempt is found. */
  readonly recordId: string;
  readonly from: number;
  /** The end of the last minute they count, or now if that minute has not ended. */
  readonly until: number;
  readonly reasons: Readonly<Record<string, number>>;
}

const keyOf = ({ siteKeyHash, endpoint, agentId = "" }: RejectedCaller) =>
  `${siteKeyHash} ${endpoint} ${agentId}`;

const startOfMinute = (now: number) => now - (now % MINUTE_MS);

/**
 * Counts in memory of refusals that have no record yet. Each caller has at most one open count and one
 * that is being written, so memory is bounded by twice the number of sites and 10,000 agents.
 */
export class RejectionCounts {
  private readonly open = new Map<string, Tally>();
  private readonly sealed = new Map<string, SealedCounts>();
  /** Until when a caller's refusals are only counted. */
  private readonly full = new Map<string, number>();

  /** Whether the next refusal of a caller is only counted, without asking the database. */
  isFull(caller: RejectedCaller, now: number): boolean {
    return now < (this.full.get(keyOf(caller)) ?? 0);
  }

  markFull(caller: RejectedCaller, until: number, now: number): void {
    if (this.full.size >= AGENTS_MAX) {
      for (const [key, end] of this.full) if (now >= end) this.full.delete(key);
    }
    // If it is not in memory, the database is asked again.
    if (this.full.size < AGENTS_MAX) this.full.set(keyOf(caller), until);
  }

  count(caller: RejectedCaller, reason: string, now: number): void {
    const tally = this.tallyOf(caller, now);
    tally.lastAt = now;
    tally.reasons.set(reason, (tally.reasons.get(reason) ?? 0) + 1);
  }

  private tallyOf(caller: RejectedCaller, now: number): Tally {
    const key = keyOf(caller);
    const known = this.open.get(key);
    if (known !== undefined) return known;
    if (caller.agentId !== undefined && this.open.size >= AGENTS_MAX) {
      return this.tallyOf({ siteKeyHash: caller.siteKeyHash, endpoint: caller.endpoint }, now);
    }
    const tally: Tally = { caller, from: startOfMinute(now), lastAt: now, reasons: new Map() };
    this.open.set(key, tally);
    return tally;
  }

  /**
   * The counts to write now: those of minutes that have ended, or all. A caller whose last counts could
   * not be written yet keeps its open count.
   */
  seal(now: number, newRecordId: () => string, all = false): readonly SealedCounts[] {
    for (const [key, { caller, from, lastAt, reasons }] of this.open) {
      if (this.sealed.has(key) || !(all || now >= from + MINUTE_MS)) continue;
      this.open.delete(key);
      const until = Math.min(now, startOfMinute(lastAt) + MINUTE_MS);
      const counts = Object.fromEntries([...reasons].sort(([a], [b]) => (a < b ? -1 : 1)));
      this.sealed.set(key, { caller, recordId: newRecordId(), from, until, reasons: counts });
    }
    return [...this.sealed.values()];
  }

  /** Removes counts that are in the log. */
  written({ caller }: SealedCounts): void {
    this.sealed.delete(keyOf(caller));
  }

  /** Callers with something to write. */
  get waiting(): number {
    return this.open.size + this.sealed.size;
  }
}
