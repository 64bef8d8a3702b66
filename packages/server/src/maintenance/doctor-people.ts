import { countPasskeys, countStranded } from "../domain/access/passkeys/store.js";
import type { Database } from "../infra/db/database.js";
import { passkeyHost } from "../infra/web-name.js";
import type { Finding } from "./finding.js";

/** Whether people can still use their passkeys at the base URL. Reported only if there are passkeys. */
export async function checkPasskeys(db: Database, baseUrl: string): Promise<Finding[]> {
  const host = passkeyHost(baseUrl);
  const part = "passkeys";
  const all = await countPasskeys(db);
  if (all === 0) return [];
  const stranded = await countStranded(db, host);
  if (stranded === 0) {
    return [{ part, verdict: "good", message: `everybody who has one can use it at ${host}` }];
  }
  const people = stranded === 1 ? "1 person" : `${stranded} people`;
  const message =
    `the passkeys of ${people} belong to another host than ${host}, so they cannot sign in with them. They sign in by a ` +
    "mailed link, or by one from `gatehouse person link`, and add a passkey again. If the host is wrong, correct GATEHOUSE_BASE_URL";
  return [{ part, verdict: "warning", message }];
}
