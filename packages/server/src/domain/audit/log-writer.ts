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

/** Synchronous, and far cheaper than Web Crypto on inputs this small. */
export const sha256Now: HashBytes = (bytes) => digest("sha256", bytes, "buffer");

/** The key a log is written with. */
export interface LogKey {
  readonly signer: Signer;
  readonly publicKey: Uint8Array;
}

export interface WriterTools {
  readonly key: LogKey;
  readonly now: number;
  /** Names the process that writes. */
  readonly node: string;
  newRecordId(): string;
}

export function frontierOf({ size, frontier }: Pick<LogHead, "size" | "frontier">): Frontier {
  return { size, hashes: frontier.map((text) => fromHex(text) as Uint8Array) };
}

/** The signed checkpoint of a log at a size that was committed. */
export async function signCheckpoint(
  chain: string,
  frontier: Frontier,
  { signer, publicKey }: LogKey,
): Promise<string> {
  const root = await treeRoot(frontier, sha256Now);
  const text = checkpointText({ origin: chain, size: frontier.size, root });
  return signNote(text, { name: chain, publicKey } satisfies NoteKey, signer);
}

/** Which log it is. */
type LogPlace = Pick<LogHead, "siteKeyHash" | "host" | "epoch" | "ordinal">;

/**
 * Writes one log within one transaction: gives each record its place, links, hashes and signs it.
 * Until the transaction has committed nothing of it may leave the process.
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

  /** The head of a log that does not exist yet. */
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

  /** The first record: the key, and where the log before this one ended. */
  async genesis(beginning: JsonObject): Promise<void> {
    const { signer, publicKey } = this.tools.key;
    const key = { name: this.at.chain, publicKey };
    const content = { ...beginning, key_id: signer.kid, vkey: await noteKeyText(key) };
    await this.write({ type: "chain.genesis", occurredAt: this.tools.now, content });
  }

  /** What the log must say of itself before anything else: another key, and days that are over. */
  async catchUp(): Promise<void> {
    // Neither the key nor the moment changes while one batch is written.
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
    // One record closes the last written day and every empty one since.
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
    // Two nodes' clocks may differ; a log's time never goes back.
    const recordedAt = Math.max(tools.now, at.recordedAt);
    // What the log says of a record goes over whatever its content brought under the same name. An
    // object literal that begins with a spread would cost twenty times as much as this.
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

  /** What has to be written, from which size on. */
  written(): { readonly rows: readonly NewRow[]; readonly head: LogHead; readonly from: number } {
    return { rows: this.rows, head: this.head, from: this.fromSize };
  }

  get chain(): string {
    return this.at.chain;
  }

  get head(): LogHead {
    return { ...this.at, frontier: this.frontier.hashes.map(toHex) };
  }
}
