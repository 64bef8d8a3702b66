import type { Config } from "../config/config.js";
import { ArchiveFolder } from "../domain/audit/archive/folder.js";
import { type ArchivePart, ArchiveUnavailableError } from "../domain/audit/archive/part.js";
import { partsBehind } from "../domain/audit/archive/store.js";
import type { Database } from "../infra/db/database.js";
import { systemIds } from "../infra/ids.js";
import type { Finding } from "./finding.js";

/** Archived bytes that are read and compared with their digests; beyond that only lengths are compared. */
const BYTES_READ_MAX = 1024 * 1024 * 1024;
const PARTS_PER_READ = 500;
/** Files named in one finding; the rest are counted. */
const FILES_NAMED_MAX = 5;

const PART = "audit archive";

/** What is wrong with a part's file, if anything is. */
async function faultOf(
  folder: ArchiveFolder,
  part: ArchivePart,
  read: boolean,
): Promise<string | undefined> {
  if (!read) {
    const fault = await folder.fileFault(part);
    return fault && `${part.file} ${fault}`;
  }
  try {
    await folder.read(part);
    return undefined;
  } catch (error) {
    if (error instanceof ArchiveUnavailableError) return error.message;
    throw error;
  }
}

/** Whether every archived day can be read here. Proofs, exports and verification need this. */
export async function checkArchive(config: Config, db: Database): Promise<Finding> {
  const folder = new ArchiveFolder(config.archiveDir, systemIds);
  const faults: string[] = [];
  let [files, bytes, records] = [0, 0, 0];
  let after = { chain: "", firstSeq: -1 };
  for (;;) {
    const parts = await partsBehind(db, after, PARTS_PER_READ);
    for (const part of parts) {
      files++;
      bytes += part.bytes;
      records += part.count;
      const fault = await faultOf(folder, part, bytes <= BYTES_READ_MAX);
      if (fault !== undefined) faults.push(fault);
    }
    const last = parts.at(-1);
    if (last === undefined || parts.length < PARTS_PER_READ) break;
    after = last;
  }
  if (files === 0) return { part: PART, verdict: "good", message: "no day is archived" };
  const wrong = await folder.fault(db);
  if (wrong !== undefined) {
    const message = `${wrong}. ${records} records are archived in ${files} files`;
    return { part: PART, verdict: "failure", message };
  }
  if (faults.length > 0) {
    const more =
      faults.length > FILES_NAMED_MAX ? `; and ${faults.length - FILES_NAMED_MAX} more` : "";
    const named = faults.slice(0, FILES_NAMED_MAX).join("; ");
    const message = `in ${folder.path}: ${named}${more}. Restore a copy: see ${config.baseUrl}/docs/operations/archive.md`;
    return { part: PART, verdict: "failure", message };
  }
  const how =
    bytes <= BYTES_READ_MAX ? "unchanged" : "present; the first GB was read and is unchanged";
  const message = `${records} records in ${files} files in ${folder.path}, ${how}`;
  return { part: PART, verdict: "good", message };
}
