/** A backup file that cannot be written or used; the installation itself may be well. */
export class BackupFileError extends Error {
  override readonly name = "BackupFileError";
}

export function damaged(path: string, why: string): BackupFileError {
  return new BackupFileError(`The backup ${path} ${why}: use another one.`);
}
