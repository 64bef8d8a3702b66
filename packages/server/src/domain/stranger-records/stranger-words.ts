import { hash } from "node:crypto";
import type { Transaction } from "../../infra/db/database.js";
import type { Ids } from "../../infra/ids.js";
import { DAY_MS } from "../../infra/time.js";
import { insertWords, type StoredWords } from "./store.js";

/**
 * Names of well-known MCP clients in `clientInfo.name`. Records show these names; every other name is a
 * stranger's free choice. Anybody can use them, so they prove nothing.
 */
const KNOWN_CLIENTS: ReadonlySet<string> = new Set([
  "claude-ai",
  "claude-code",
  "openai-mcp",
  "codex-mcp-client",
  "gemini-cli-mcp-client",
  "Visual Studio Code",
  "cursor-vscode",
  "windsurf-client",
  "Cline",
  "Zed",
  "goose",
  "continue-client",
  "mcp-inspector",
  "inspector-client",
  "mcp",
]);

export function isKnownClient(name: string): boolean {
  return KNOWN_CLIENTS.has(name);
}

const SALT_BYTES = 16;
/** How long the words of strangers are stored. After that only their commitments are left. */
export const WORDS_STORED_MS = 30 * DAY_MS;
/** Words in memory, so that the same words get the same commitment. */
const CACHED_MAX = 10_000;
/** Words that a process stores for one site in a UTC day; further ones cannot be read later. */
const STORED_PER_SITE_PER_DAY_MAX = 1000;

/** Words with their commitment, and whether they still have to be stored. */
export interface CommittedWords extends StoredWords {
  readonly isNew: boolean;
}

/**
 * Makes commitments to strangers' words for records: SHA-256 of a random salt and the words. A separate
 * row holds words and salt; once it is deleted nobody can test words against the commitment. Repeated
 * words have the same commitment while this process has them in memory, within a day.
 */
export class StrangerWords {
  private readonly ids: Ids;
  private readonly known = new Map<string, StoredWords>();
  /** How many were stored for each site on `day`. */
  private readonly stored = new Map<string, number>();
  private day = 0;

  constructor(ids: Ids) {
    this.ids = ids;
  }

  /** Changes nothing, so that a failed commit leaves nothing behind. */
  commit(siteKeyHash: string, words: string): CommittedWords {
    const known = this.known.get(`${siteKeyHash} ${words}`);
    if (known !== undefined) return { ...known, isNew: false };
    const salt = Buffer.from(this.ids.bytes(SALT_BYTES)).toString("hex");
    const commitment = hash("sha256", `${salt} ${words}`, "hex");
    return { commitment, salt, words, isNew: true };
  }

  /** Stores words with the record that names them; returns the change of memory for after the commit. */
  async store(
    tx: Transaction,
    siteKeyHash: string,
    committed: readonly CommittedWords[],
    now: number,
  ): Promise<() => void> {
    const stored = this.isToday(now) ? (this.stored.get(siteKeyHash) ?? 0) : 0;
    const room = Math.max(0, STORED_PER_SITE_PER_DAY_MAX - stored);
    const fresh = committed.filter(({ isNew }) => isNew).slice(0, room);
    for (const words of fresh) await insertWords(tx, siteKeyHash, words, now);
    return () => this.remember(siteKeyHash, fresh, now);
  }

  private isToday(now: number): boolean {
    return now - (now % DAY_MS) === this.day;
  }

  private remember(siteKeyHash: string, fresh: readonly StoredWords[], now: number): void {
    if (fresh.length === 0) return;
    if (!this.isToday(now)) {
      this.day = now - (now % DAY_MS);
      this.stored.clear();
      this.known.clear();
    }
    if (this.known.size >= CACHED_MAX) this.known.clear();
    for (const words of fresh) this.known.set(`${siteKeyHash} ${words.words}`, words);
    this.stored.set(siteKeyHash, (this.stored.get(siteKeyHash) ?? 0) + fresh.length);
  }
}
