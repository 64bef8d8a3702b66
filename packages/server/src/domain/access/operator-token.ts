import { join } from "node:path";
import { toBase64url } from "@gatehouse/protocol";
import type { Config } from "../../config/config.js";
import { ADMIN_TOKEN_CHARS_MIN } from "../../config/readers.js";
import type { Database } from "../../infra/db/database.js";
import { createPrivateFile, readPrivateFile } from "../../infra/files/private-file.js";
import type { Ids } from "../../infra/ids.js";
import { StartupError } from "../../startup-error.js";
import { unrevokedTokenByDigest } from "./store.js";
import { TOKEN_BYTES, TOKEN_PREFIX } from "./token.js";

export const OPERATOR_TOKEN_FILE = "admin-token";

/** The first operator token: configured, or made at the first start and stored in the data folder. */
export interface OperatorToken {
  readonly token: string;
  /** Whether this start made it, so that it is shown once. */
  readonly created: boolean;
  /** Where it is stored; undefined if it is configured. */
  readonly file: string | undefined;
}

export function operatorToken(config: Config, ids: Ids): OperatorToken {
  if (config.adminToken !== undefined) {
    return { token: config.adminToken, created: false, file: undefined };
  }
  const file = join(config.dataDir, OPERATOR_TOKEN_FILE);
  const stored = readPrivateFile(file, "The operator token")?.trim();
  if (stored !== undefined && stored.length < ADMIN_TOKEN_CHARS_MIN) {
    throw new StartupError(
      `The operator token in ${file} is damaged. Delete the file to get a new one.`,
    );
  }
  if (stored !== undefined) return { token: stored, created: false, file };
  const token = TOKEN_PREFIX + toBase64url(ids.bytes(TOKEN_BYTES));
  // Another process that starts on the same folder may be faster. Its token is used then.
  return createPrivateFile(file, `${token}\n`)
    ? { token, created: true, file }
    : operatorToken(config, ids);
}

/**
 * The token the service is started with is the operator's, even if others have it too. A shell in which an
 * owner's token was set for the command line must not make that owner the operator.
 */
export async function refuseOthersToken(db: Database, operatorDigest: string): Promise<void> {
  const known = await unrevokedTokenByDigest(db, operatorDigest);
  if (known === undefined) return;
  throw new StartupError(
    `GATEHOUSE_ADMIN_TOKEN is set to the token “${known.name}” (${known.role}) of this installation. ` +
      "Unset it, or set it to the operator token, before you start the service.",
  );
}
