import type { Ed25519Jwk, PolicyVersion } from "@gatehouse/protocol";
import type { AuditLog } from "../audit-log.js";

/** What an export reads from. */
export interface ExportTools {
  readonly audit: AuditLog;
  /** Of the product, for readers that ask which one wrote a line. */
  readonly version: string;
  publicKeys(): Promise<readonly { readonly kid: string; readonly jwk: Ed25519Jwk }[]>;
  policyByDigest(digest: string): Promise<PolicyVersion | undefined>;
}
