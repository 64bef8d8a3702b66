import { timingSafeEqual } from "node:crypto";
import type { Config } from "../config/config.js";
import { createSecrets } from "../infra/secrets/secrets.js";
import { findSecretsKey, readSecretsKeyFile } from "../infra/secrets/secrets-key.js";
import { StartupError } from "../startup-error.js";
import type { CheckedBackup } from "./backup-file.js";
import { BackupFileError, damaged } from "./backup-lines.js";

export interface ProofOptions {
  /** A file with the secrets key, where it is neither configured nor in the data folder. */
  readonly secretsKeyFile?: string | undefined;
  /** Restores a file that no key from outside verifies; needs `sha256`. */
  readonly unverified?: boolean | undefined;
  /** The digest `gatehouse backup` printed when the file was made. */
  readonly sha256?: string | undefined;
}

/** A secrets key from outside the backup, and whether the installation has it already. */
export interface OutsideKey {
  readonly key: Uint8Array;
  readonly installed: boolean;
}

export function outsideKey(
  config: Config,
  { secretsKeyFile }: ProofOptions,
): OutsideKey | undefined {
  const installed = findSecretsKey(config);
  const given = secretsKeyFile === undefined ? undefined : readSecretsKeyFile(secretsKeyFile);
  if (installed !== undefined && given !== undefined && !timingSafeEqual(installed, given)) {
    throw new StartupError(
      "The key in --secrets-key-file differs from the key of this installation. Remove one of them.",
    );
  }
  if (installed !== undefined) return { key: installed, installed: true };
  return given && { key: given, installed: false };
}

const WHY_UNVERIFIED: Readonly<Record<Exclude<CheckedBackup["mac"], "holds" | "differs">, string>> =
  {
    unsigned:
      "This backup has no signature, because it was made by an old version. It cannot be verified.",
    no_key:
      "There is no secrets key to verify this backup with, and a key inside the file proves " +
      "nothing. Set the key with --secrets-key-file or GATEHOUSE_SECRETS_KEY.",
  };

/** Refuses a backup that opens with another key than the one given. */
export function refuseOtherKey({ sealedBy }: CheckedBackup, outside: OutsideKey | undefined): void {
  if (outside === undefined || createSecrets(outside.key).keyId === sealedBy) return;
  throw new StartupError(
    "The secrets key does not belong to this backup. Remove it, or set the right one.",
  );
}

/**
 * Whether a key from outside the file verifies it. An unverified file is refused unless the operator knows
 * its digest from when it was made.
 */
export function proofOf(
  file: string,
  backup: CheckedBackup,
  { unverified, sha256 }: ProofOptions,
): "verified" | "unverified" {
  const { mac } = backup;
  if (sha256 !== undefined && sha256.toLowerCase() !== backup.sha256) {
    throw new BackupFileError(
      "The backup has a different SHA-256. Use the original file, or another backup.",
    );
  }
  if (mac === "holds") return "verified";
  if (mac === "differs") throw damaged(file, "has been changed or damaged");
  if (unverified === true && sha256 !== undefined) return "unverified";
  throw new BackupFileError(
    `${WHY_UNVERIFIED[mac]} If you know the SHA-256 that \`gatehouse backup\` printed, or that you ` +
      "computed when the file was made, restore with --unverified --sha256 <digest>. All tokens are then " +
      "revoked, and all agents are suspended until you approve them again.",
  );
}
