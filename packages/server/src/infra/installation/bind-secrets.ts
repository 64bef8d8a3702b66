import type { Config } from "../../config/config.js";
import { StartupError } from "../../startup-error.js";
import type { Database } from "../db/database.js";
import type { Ids } from "../ids.js";
import { createSecrets, type Secrets } from "../secrets/secrets.js";
import { findSecretsKey, makeSecretsKey } from "../secrets/secrets-key.js";
import { readFact, settleFact } from "./installation.js";

/**
 * The secrets of this installation. The database stores the id of the key that sealed it. A node with
 * another key, or without one, must not start, because it could neither read nor sign anything.
 */
export async function bindSecrets(
  config: Config,
  db: Database,
  ids: Ids,
  stored: Uint8Array | undefined,
): Promise<Secrets> {
  const sealedBy = await readFact(db, "secrets_key_id");
  // Read again, because another process on this folder may have made it meanwhile.
  const known = stored ?? (sealedBy === undefined ? undefined : findSecretsKey(config));
  if (known === undefined && sealedBy !== undefined) {
    throw new StartupError(
      "The secrets key of this database is missing. Set GATEHOUSE_SECRETS_KEY " +
        "(or _FILE) to the key that the other nodes use, or restore secrets.key to the data folder.",
    );
  }
  const created = known === undefined ? makeSecretsKey(config, ids) : undefined;
  const secrets = createSecrets(known ?? (created?.key as Uint8Array));
  if ((await settleFact(db, "secrets_key_id", secrets.keyId)) !== secrets.keyId) {
    // Another node was faster with another key. Ours has sealed nothing, so it is removed.
    created?.undo();
    throw new StartupError(
      "The secrets key does not belong to this database. Set GATEHOUSE_SECRETS_KEY (or " +
        "_FILE) to the key from the first start of the installation.",
    );
  }
  return secrets;
}
