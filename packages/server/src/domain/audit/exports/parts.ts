import { createHash } from "node:crypto";
import type { Ed25519Jwk } from "@gatehouse/protocol";
import {
  type BundleHead,
  bundleFrame,
  entryText,
  PART_RECORDS_MAX,
  type PolicyVersion,
  signBundle,
  toHex,
} from "@gatehouse/protocol";
import type { AuditLog } from "../audit-log.js";
import type { StoredRecord } from "../log.js";
import type { LogReader } from "../log-reader.js";
import type { ExportSnapshot } from "./snapshot.js";

/** What an export needs. */
export interface ExportTools {
  readonly audit: AuditLog;
  /** The version of the product, for readers of OCSF lines. */
  readonly version: string;
  publicKeys(): Promise<readonly { readonly kid: string; readonly jwk: Ed25519Jwk }[]>;
  policyByDigest(digest: string): Promise<PolicyVersion | undefined>;
}

/** Records per read. This limits the memory of an export, however long the day is. */
const RECORDS_PER_READ = 100;

/** Finds the policy versions that records refer to. */
export type PoliciesNamed = (
  records: AsyncIterable<StoredRecord>,
) => Promise<readonly PolicyVersion[]>;

/** The records of one part, some at a time. */
export async function* partRecords(
  reader: LogReader,
  snapshot: ExportSnapshot,
  part: number,
): AsyncGenerator<StoredRecord> {
  const [first, end] = rangeOf(snapshot, part);
  for (let from = first; from < end; from += RECORDS_PER_READ) {
    const to = Math.min(from + RECORDS_PER_READ, end);
    yield* await reader.recordsBetween(snapshot.chain, from, to);
  }
}

export function rangeOf({ firstSeq, count }: ExportSnapshot, part: number): [number, number] {
  const first = firstSeq + (part - 1) * PART_RECORDS_MAX;
  return [first, Math.min(first + PART_RECORDS_MAX, firstSeq + count)];
}

/**
 * Writes the parts of one snapshot. Each part contains the digest of the one before it, so that
 * none can be exchanged.
 */
export class ExportParts {
  private readonly audit: AuditLog;
  private readonly snapshot: ExportSnapshot;
  private readonly policiesNamed: PoliciesNamed;

  constructor(audit: AuditLog, snapshot: ExportSnapshot, policiesNamed: PoliciesNamed) {
    this.audit = audit;
    this.snapshot = snapshot;
    this.policiesNamed = policiesNamed;
  }

  /** The head of a part's bundle. */
  private async head(part: number, prevDigest: string | null): Promise<BundleHead> {
    const { audit, snapshot } = this;
    const { chain, day, closed, parts, firstSeq, count } = snapshot;
    const [first, end] = rangeOf(snapshot, part);
    const before = await audit.reader.frontierAt(chain, first);
    return {
      chain,
      day,
      closed,
      part,
      parts,
      day_first_seq: firstSeq,
      day_count: count,
      first_seq: first,
      count: end - first,
      prev_part_sha256: prevDigest,
      before: { size: before.size, frontier: before.hashes.map(toHex) },
      checkpoint_before: (await audit.checkpoints.at(chain, first)).note,
      checkpoint_after: (await audit.checkpoints.at(chain, end)).note,
      policies: await this.policiesNamed(partRecords(audit.reader, snapshot, part)),
    };
  }

  /** The canonical text of a part's bundle, piece by piece. */
  private async *bundle(part: number): AsyncGenerator<string> {
    const prevDigest = part === 1 ? null : await this.digest(part - 1);
    const { opening, closing } = bundleFrame(await this.head(part, prevDigest));
    yield opening;
    let divider = "";
    for await (const record of partRecords(this.audit.reader, this.snapshot, part)) {
      yield divider + entryText(record);
      divider = ",";
    }
    yield closing;
  }

  /**
   * Computed again from the beginning of the day if it is not in memory, because nothing is stored
   * on disk.
   */
  private async digest(part: number): Promise<string> {
    const known = this.audit.partDigests.get(this.snapshot, part);
    if (known !== undefined) return known;
    const hash = createHash("sha256");
    for await (const piece of this.bundle(part)) hash.update(piece);
    const digest = hash.digest("hex");
    this.audit.partDigests.set(this.snapshot, part, digest);
    return digest;
  }

  /** Reads the beginning of a part, and earlier parts whose digests are not known. */
  async ready(part: number): Promise<void> {
    const [first, end] = rangeOf(this.snapshot, part);
    if (part > 1) await this.digest(part - 1);
    if (end > first) await this.audit.reader.recordsBetween(this.snapshot.chain, first, first + 1);
  }

  /** One part as it is sent: `{bundle, signature}`. The signature is made while the bundle is sent. */
  async *signed(part: number): AsyncGenerator<string> {
    const hash = createHash("sha256");
    yield '{"bundle":';
    for await (const piece of this.bundle(part)) {
      hash.update(piece);
      yield piece;
    }
    const digest = hash.digest("hex");
    this.audit.partDigests.set(this.snapshot, part, digest);
    const { signer, publicKey } = await this.audit.key();
    const note = await signBundle(digest, { name: this.snapshot.chain, publicKey }, signer);
    yield `,"signature":${JSON.stringify(note)}}\n`;
  }
}
