import { hash as digest } from "node:crypto";
import {
  type AuditRecord,
  appendLeaf,
  checkpointText,
  type Frontier,
  fromHex,
  type HashBytes,
  type JsonObject,
  NO_PREVIOUS_HASH,
  type NoteKey,
  noteKeyText,
  RECORD_SCHEMA,
  type Signer,
  sealRecord,
  signNote,
  signRecord,
  toHex,
  treeRoot,
} from "@gatehouse/protocol";
import { isoTime } from "../../infra/clock.js";
import type { NewRow } from "../../infra/db/database.js";
import { DAY_MS } from "../../infra/time.js";
import type { RecordDraft } from "./drafts.js";
import { dayOf, type LogHead, originOf } from "./log.js";

/** Synchronous, because that is much cheaper than Web Crypto for such small inputs. */
export const sha256Now: HashBytes = (bytes) => digest("sha256", bytes, "buffer");

/** The key that signs a log. */
export interface LogKey {
  readonly signer: Signer;
  readonly publicKey: Uint8Array;
}

export interface WriterTools {
  readonly key: LogKey;
  readonly now: number;
  /** The name of the writing process. */
  readonly node: string;
  newRecordId(): string;
}

export function frontierOf({ size, frontier }: Pick<LogHead, "size" | "frontier">): Frontier {
  return { size, hashes: frontier.map((text) => fromHex(text) as Uint8Array) };
}

/** The signed checkpoint of a log at a committed size. */
export async function signCheckpoint(
  chain: string,
  frontier: Frontier,
  { signer, publicKey }: LogKey,
): Promise<string> {
  const root = await treeRoot(frontier, sha256Now);
  const text = checkpointText({ origin: chain, size: frontier.size, root });
  return signNote(text, { name: chain, publicKey } satisfies NoteKey, signer);
}

type LogPlace = Pick<LogHead, "siteKeyHash" | "host" | "epoch" | "ordinal">;

/**
 * Writes one log within one transaction: gives each record its position, links, hashes and signs
 * it. Nothing of it may leave the process before the transaction has committed.
 */
export class LogWriter {
  private readonly tools: WriterTools;
  private readonly fromSize: number;
  private readonly rows: NewRow[] = [];
  private readonly at: { -readonly [Name in keyof LogHead]: LogHead[Name] };
  private frontier: Frontier;
  private caughtUp = false;

  constructor(head: LogHead, tools: WriterTools) {
    this.tools = tools;
    this.at = { ...head };
    this.fromSize = head.size;
    this.frontier = frontierOf(head);
  }

  /** The head of a new log. */
  static opening(place: LogPlace, { now, key }: WriterTools): LogHead {
    const chain = originOf(place.host, place.epoch);
    return {
      ...place,
      chain,
      state: "open",
      size: 0,
      frontier: [],
      lastHash: NO_PREVIOUS_HASH,
      recordedAt: now,
      keyId: key.signer.kid,
      openedAt: now,
    };
  }

  /** The first record: the key, and the end of the previous log. */
  async genesis(beginning: JsonObject): Promise<void> {
    const { signer, publicKey } = this.tools.key;
    const key = { name: this.at.chain, publicKey };
    const content = { ...beginning, key_id: signer.kid, vkey: await noteKeyText(key) };
    await this.write({ type: "chain.genesis", occurredAt: this.tools.now, content });
  }

  /** Writes the records that must come first: a new key, and the days that are over. */
  async catchUp(): Promise<void> {
    // Neither the key nor the time changes while one batch is written.
    this.caughtUp = true;
    const { now, key } = this.tools;
    const { chain, keyId, recordedAt } = this.at;
    if (keyId !== key.signer.kid) {
      const vkey = await noteKeyText({ name: chain, publicKey: key.publicKey });
      const content = { previous_key_id: keyId, key_id: key.signer.kid, vkey };
      await this.write({ type: "chain.key_rotated", occurredAt: now, content });
    }
    const today = Math.floor(now / DAY_MS);
    if (Math.floor(recordedAt / DAY_MS) >= today) return;
    // One record closes the last day with records and all empty days after it.
    const content = { day: dayOf(recordedAt), through: dayOf((today - 1) * DAY_MS) };
    await this.write({ type: "chain.day_closed", occurredAt: now, content });
  }

  async add(draft: RecordDraft, recordId: string): Promise<void> {
    if (!this.caughtUp) await this.catchUp();
    await this.write(draft, recordId);
  }

  close(): void {
    this.at.state = "closed";
  }

  private async write(
    { type, occurredAt, content }: RecordDraft,
    recordId = this.tools.newRecordId(),
  ): Promise<void> {
    const { at, tools } = this;
    const { signer } = tools.key;
    // The clocks of two nodes may differ, but the time in a log never goes back.
    const recordedAt = Math.max(tools.now, at.recordedAt);
    // The log's own members replace members of the same name in the content. An object literal that
    // begins with a spread takes twenty times as long.
    const record: AuditRecord = Object.assign({}, content, {
      chain: at.chain,
      node: tools.node,
      occurred_at: isoTime(occurredAt),
      prev_hash: at.lastHash,
      record_id: recordId,
      recorded_at: isoTime(recordedAt),
      schema: RECORD_SCHEMA,
      seq: at.size,
      site: at.siteKeyHash,
      type,
    } as const);
    const { text, leaf, hash } = await sealRecord(record, sha256Now);
    const grown = await appendLeaf(this.frontier, leaf, sha256Now);
    this.rows.push({
      chain: at.chain,
      seq: at.size,
      prev_hash: at.lastHash,
      record_id: recordId,
      type,
      recorded_at: recordedAt,
      text,
      hash,
      sig: await signRecord(record, hash, signer),
      key_id: signer.kid,
      closed: grown.closed.map(toHex).join(""),
    });
    this.frontier = grown;
    at.size = grown.size;
    at.lastHash = hash;
    at.recordedAt = recordedAt;
    at.keyId = signer.kid;
  }

  /** The rows to insert and the new head, with the size before them. */
  written(): { readonly rows: readonly NewRow[]; readonly head: LogHead; readonly from: number } {
    return { rows: this.rows, head: this.head, from: this.fromSize };
  }

  get hasRecords(): boolean {
    return this.rows.length > 0;
  }

  get chain(): string {
    return this.at.chain;
  }

  get head(): LogHead {
    return { ...this.at, frontier: this.frontier.hashes.map(toHex) };
  }
}
