/** What other packages use of the audit log: its records, checkpoints, bundles, and how they are verified. */
export {
  BUNDLE_SCHEMA,
  type Bundle,
  type BundleEntry,
  type BundleHead,
  bundleDigest,
  bundleFrame,
  entryText,
  PART_RECORDS_MAX,
  type PolicyVersion,
  type StoredEntry,
  signBundle,
  verifyBundleSignature,
} from "./bundle.js";
export {
  type Checkpoint,
  checkpointText,
  readCheckpoint,
  verifyCheckpoint,
} from "./checkpoint.js";
export {
  type ExportFile,
  type ExportFileClaim,
  signExportFile,
  verifyExportFile,
} from "./export-file.js";
export type { AuditFinding, AuditQuestion } from "./findings.js";
export { findingText, uncheckable } from "./findings.js";
export {
  isNoteName,
  NOTE_CHARS_MAX,
  NOTE_SIGNATURES_MAX,
  type NoteFault,
  type NoteKey,
  noteKeyText,
  readNoteKey,
  signNote,
  type VerifiedNote,
  verifyNote,
} from "./note.js";
export { ocsfLine } from "./ocsf.js";
export { EXPORT_ELEMENT, exportInPage } from "./page.js";
export { consistencyHashes, inclusionHashes, type NodeAt } from "./proofs.js";
export { readBundle, type SignedBundle } from "./read-bundle.js";
export {
  type InclusionReceipt,
  type ReceiptFault,
  readReceipt,
  receiptText,
  verifyReceipt,
} from "./receipt.js";
export {
  type AuditRecord,
  NO_PREVIOUS_HASH,
  RECORD_BYTES_MAX,
  RECORD_SCHEMA,
  RECORD_TYPES,
  type RecordFault,
  type RecordType,
  readRecord,
  type SealedRecord,
  sealRecord,
  signRecord,
  verifyRecord,
} from "./record.js";
export { type ReplayFault, replayDecision } from "./replay.js";
export { type RecordSummary, recordSummary } from "./summary.js";
export {
  appendLeaf,
  type ConsistencyProof,
  EMPTY_FRONTIER,
  type Frontier,
  type Grown,
  type HashBytes,
  type InclusionProof,
  isFrontier,
  leafHash,
  PROOF_HASHES_MAX,
  type ProofFault,
  treeRoot,
  verifyConsistency,
  verifyInclusion,
} from "./tree.js";
export type { AuditAnswer, AuditReport, ExportVerifier } from "./verify-export.js";
export { exportVerifier, PART_BYTES_MAX } from "./verify-export.js";
export type { AuditTrust, PartSummary } from "./verify-part.js";
