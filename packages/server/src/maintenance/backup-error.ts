/** A backup file that cannot be written or used. The installation itself may be fine. */
export class BackupFileError extends Error {
  override readonly name = "BackupFileError";
}

export const NO_BACKUP = "is not a Gatehouse backup";
export const CHANGED = "has been changed or damaged";

export function damaged(path: string, why: string): BackupFileError {
  return new BackupFileError(`The backup ${path} ${why}. Use another backup.`);
}
