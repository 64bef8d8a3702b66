import { rmSync } from "node:fs";
import { join } from "node:path";
import { fromBase64url, toBase64url } from "@gatehouse/protocol";
import type { Config } from "../../config/config.js";
import { StartupError } from "../../startup-error.js";
import { createPrivateFile, readPrivateFile, readTextFile } from "../files/private-file.js";
import type { Ids } from "../ids.js";

export const SECRETS_KEY_FILE = "secrets.key";
const KEY_BYTES = 32;

function decode(text: string, where: string): Uint8Array {
  const bytes = fromBase64url(text.trim());
  if (bytes?.length !== KEY_BYTES) {
    throw new StartupError(
      `${where} does not contain a secrets key (43 characters of base64url). Restore it from a backup.`,
    );
  }
  return bytes;
}

/** The secrets key in a file that the operator named. */
export function readSecretsKeyFile(path: string): Uint8Array {
  return decode(readTextFile(path, "The secrets key file"), `The secrets key file ${path}`);
}

/** The configured secrets key, or the one in the data folder; undefined before the first start. */
export function findSecretsKey(config: Config): Uint8Array | undefined {
  const configured = config.secretsKey;
  if (configured?.kind === "value") return decode(configured.value, "GATEHOUSE_SECRETS_KEY");
  if (configured?.kind === "file") return readSecretsKeyFile(configured.path);
  const path = join(config.dataDir, SECRETS_KEY_FILE);
  const text = readPrivateFile(path, "The secrets key");
  return text === undefined ? undefined : decode(text, `The secrets key file ${path}`);
}

/** Makes the secrets key of a new installation, or takes the one another process just made. */
export function makeSecretsKey(config: Config, ids: Ids): { key: Uint8Array; undo(): void } {
  const path = join(config.dataDir, SECRETS_KEY_FILE);
  const isCreated = createPrivateFile(path, `${toBase64url(ids.bytes(KEY_BYTES))}\n`);
  const key = findSecretsKey(config);
  if (key === undefined) throw new Error(`the secrets key at ${path} vanished`);
  return { key, undo: () => isCreated && rmSync(path) };
}
