import { hash } from "node:crypto";
import type { Transaction } from "../../platform/db/database.js";
import type { Ids } from "../../platform/ids.js";
import { DAY_MS } from "./record-allowance.js";
import { insertWords, type KeptWords } from "./store.js";

const SALT_BYTES = 16;
/** How long the words of strangers can be told; then only their commitments are left. */
export const WORDS_KEPT_MS = 30 * DAY_MS;
/** Words that are remembered to be named by the same commitment again. */
const REMEMBERED_MAX = 10_000;
/** Words that a process keeps for one site in a UTC day; those of others cannot be told later. */
const KEPT_PER_SITE_PER_DAY_MAX = 1000;

/** Words that a record names by a commitment, and whether they are to be kept with it. */
export interface CommittedWords extends KeptWords {
  readonly isNew: boolean;
}

/**
 * Names a stranger's words in a record without saying them: SHA-256 of a random salt and the words. The
 * salt is beside the words in a row of their own: once it is deleted nobody can try words against the
 * commitment. Words said again have the same commitment, as long as this process remembers them: within a day.
 */
export class StrangerWords {
  private readonly ids: Ids;
  private readonly known = new Map<string, KeptWords>();
  /** How many were kept for each site on `day`. */
  private readonly kept = new Map<string, number>();
  private day = 0;

  constructor(ids: Ids) {
    this.ids = ids;
  }

  /** Changes nothing: a commit that fails leaves nothing behind. */
  commit(siteKeyHash: string, words: string): CommittedWords {
    const known = this.known.get(`${siteKeyHash} ${words}`);
    if (known !== undefined) return { ...known, isNew: false };
    const salt = Buffer.from(this.ids.bytes(SALT_BYTES)).toString("hex");
    const commitment = hash("sha256", `${salt} ${words}`, "hex");
    return { commitment, salt, words, isNew: true };
  }

  /** Keeps words with the record that names them; returns what is to be remembered afterwards. */
  async keep(
    tx: Transaction,
    siteKeyHash: string,
    committed: readonly CommittedWords[],
    now: number,
  ): Promise<() => void> {
    const kept = this.isToday(now) ? (this.kept.get(siteKeyHash) ?? 0) : 0;
    const room = Math.max(0, KEPT_PER_SITE_PER_DAY_MAX - kept);
    const fresh = committed.filter(({ isNew }) => isNew).slice(0, room);
    for (const words of fresh) await insertWords(tx, siteKeyHash, words, now);
    return () => this.remember(siteKeyHash, fresh, now);
  }

  private isToday(now: number): boolean {
    return now - (now % DAY_MS) === this.day;
  }

  private remember(siteKeyHash: string, fresh: readonly KeptWords[], now: number): void {
    if (fresh.length === 0) return;
    if (!this.isToday(now)) {
      this.day = now - (now % DAY_MS);
      this.kept.clear();
      this.known.clear();
    }
    if (this.known.size >= REMEMBERED_MAX) this.known.clear();
    for (const words of fresh) this.known.set(`${siteKeyHash} ${words.words}`, words);
    this.kept.set(siteKeyHash, (this.kept.get(siteKeyHash) ?? 0) + fresh.length);
  }
}
