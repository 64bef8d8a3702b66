import { type Ed25519Jwk, exportVerifier, PART_RECORDS_MAX, toHex } from "@gatehouse/protocol";
import type { CrashPoint } from "../../../infra/crash-points.js";
import type { Queries } from "../../../infra/db/database.js";
import type { AuditLog } from "../audit-log.js";
import { partsOf } from "../exports/export-stream.js";
import type { ExportTools } from "../exports/parts.js";
import { rangeOf } from "../exports/parts.js";
import type { ExportSnapshot } from "../exports/snapshot.js";
import type { StoredRecord } from "../log.js";
import { sha256Now } from "../log-writer.js";
import { leafAt, recordsBetween } from "../records/store.js";
import type { DueDay } from "./due.js";
import { OpenPart } from "./open-part.js";
import { ArchiveUnavailableError, KEPT_LEVEL_MIN, NotArchivedError } from "./part.js";
import type { KeptNode, NewPart } from "./store.js";

/** The exporter that archive files name. */
const ARCHIVE_TOKEN = "archive";

export interface WriteTools extends ExportTools {
  readonly audit: AuditLog;
  readonly db: Queries;
  readonly crashPoint: CrashPoint;
  /** Keys of the log, by id, retired ones too. */
  auditKeys(): Promise<ReadonlyMap<string, Ed25519Jwk>>;
  /** Called with the number of records that were written and verified. */
  onWritten(records: number): void;
}

/** A day whose files are written and verified, and what the database keeps of it. */
export interface WrittenDay extends DueDay {
  readonly parts: readonly NewPart[];
  readonly nodes: readonly KeptNode[];
  /** Digest of the last part's bundle, which names the one before it, and so on. */
  readonly bundleSha256: string;
}

async function snapshotOf({ audit }: WriteTools, due: DueDay): Promise<ExportSnapshot> {
  const { chain, day, firstSeq, count } = due;
  const { signer } = await audit.key();
  return {
    tokenId: ARCHIVE_TOKEN,
    format: "json",
    chain,
    day,
    firstSeq,
    count,
    closed: true,
    parts: Math.ceil(count / PART_RECORDS_MAX),
    keyId: signer.kid,
    expiresAt: 0,
  };
}

/** `shop.example.com_audit_1/2030-05-17`, followed by the part if there are several. */
function nameOf({ chain, day, parts }: ExportSnapshot, part: number): string {
  const which = parts === 1 ? "" : `-part-${part}-of-${parts}`;
  return `${chain.replace(/[/:]/g, "_")}/${day}${which}`;
}

async function writePart(
  tools: WriteTools,
  snapshot: ExportSnapshot,
  part: number,
): Promise<NewPart> {
  const { audit, db } = tools;
  const { chain, day, parts } = snapshot;
  const [firstSeq, end] = rangeOf(snapshot, part);
  const chunks = partsOf(snapshot, tools).signed(part);
  const { file, bytes, sha256 } = await audit.archive.folder.write(nameOf(snapshot, part), chunks);
  tools.crashPoint("archive.file_written");
  const frontier = (await audit.reader.frontierAt(chain, end)).hashes.map(toHex);
  const recordIds: string[] = [];
  const types: Record<string, number> = {};
  for (const { record_id, type } of await recordsBetween(db, chain, firstSeq, end)) {
    recordIds.push(record_id);
    types[type] = (types[type] ?? 0) + 1;
  }
  const count = end - firstSeq;
  const place = { chain, day, part, parts, firstSeq, count };
  return { ...place, file, bytes, sha256, frontier, types, recordIds, node: audit.node };
}

/** The subtrees of a part that stay in the database because they are too large to compute again. */
async function nodesOf(db: Queries, { chain, firstSeq, count }: NewPart): Promise<KeptNode[]> {
  const width = 2 ** KEPT_LEVEL_MIN;
  const nodes: KeptNode[] = [];
  for (let end = Math.ceil((firstSeq + 1) / width) * width; end <= firstSeq + count; end += width) {
    const closed = (await leafAt(db, chain, end - 1))?.closed ?? [];
    for (let level = KEPT_LEVEL_MIN; level <= closed.length; level++) {
      const hash = closed[level - 1] as string;
      nodes.push({ chain, level, place: end / 2 ** level - 1, hash });
    }
  }
  return nodes;
}

function isSame(a: StoredRecord, b: StoredRecord): boolean {
  const proof = a.hash === b.hash && a.sig === b.sig && a.key_id === b.key_id;
  return proof && a.text === b.text && a.record_id === b.record_id && a.type === b.type;
}

/** False also if a record cannot be read because its hash differs from its row. */
function readable(same: () => boolean): boolean {
  try {
    return same();
  } catch (error) {
    if (error instanceof ArchiveUnavailableError) return false;
    throw error;
  }
}

/** Reads a file back, and compares every record in it with its row. */
async function compareRows(tools: WriteTools, written: NewPart): Promise<Buffer> {
  const part = { ...written, archivedAt: 0 };
  const bytes = await tools.audit.archive.folder.read(part);
  const { chain, day, firstSeq, count } = part;
  const rows = await recordsBetween(tools.db, chain, firstSeq, firstSeq + count);
  const same = () => {
    const open = new OpenPart(part, bytes.toString("utf8"));
    return rows.every((row) => isSame(open.record(row.seq), row));
  };
  if (rows.length !== count || !readable(same)) {
    throw new NotArchivedError(
      `the records of ${chain} on ${day} differ from those that were written`,
    );
  }
  return bytes;
}

/**
 * Writes a day's files, reads them back and verifies them as an auditor would. A crash in here
 * leaves files that nothing refers to; the next attempt writes the same names again.
 */
export async function writeDay(tools: WriteTools, due: DueDay): Promise<WrittenDay> {
  const snapshot = await snapshotOf(tools, due);
  const keys = await tools.auditKeys();
  const trust = { keys, pins: [], replay: false, hash: sha256Now };
  const verifier = exportVerifier(trust);
  const parts: NewPart[] = [];
  const nodes: KeptNode[] = [];
  let bundleSha256 = "";
  for (let part = 1; part <= snapshot.parts; part++) {
    const written = await writePart(tools, snapshot, part);
    const added = await verifier.add(await compareRows(tools, written));
    if (!added.ok) throw new NotArchivedError(`${written.file}: ${added.detail}`);
    bundleSha256 = added.value.digest;
    parts.push(written);
    nodes.push(...(await nodesOf(tools.db, written)));
    tools.onWritten(written.count);
  }
  const [fault] = verifier.report().findings;
  if (fault !== undefined) {
    throw new NotArchivedError(`${due.chain} on ${due.day} does not verify, ${fault.text}`);
  }
  tools.crashPoint("archive.verified");
  return { ...due, parts, nodes, bundleSha256 };
}
