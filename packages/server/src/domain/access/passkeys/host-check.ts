import type { Database } from "../../../infra/db/database.js";
import type { Log } from "../../../infra/log/log.js";
import { bindPasskeys, countStranded } from "./store.js";

/** At a start: warns of people whose passkeys belong to a host that the service had before. */
export async function checkPasskeyHost(db: Database, log: Log, host: string): Promise<void> {
  await bindPasskeys(db, host);
  const people = await countStranded(db, host);
  if (people > 0) log.warn({ people, host }, "people.passkeys_unusable");
}
