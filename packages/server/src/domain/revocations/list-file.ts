import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { isoTime } from "../../infra/clock.js";
import { replaceFile } from "../../infra/files/durable-file.js";
import { readTextFile } from "../../infra/files/private-file.js";
import { StartupError } from "../../startup-error.js";
import { REVOCATION_KINDS, type Revocation } from "./store.js";

/** Beside the checkpoints, because operators copy that folder. */
const FOLDER = "checkpoints";
/** Lists of several nodes and workers may be in one folder under different names. */
const FILES = /^revocations[\w.-]*\.json$/;
const FORMAT = "gatehouse-revocations/1";
/** Half a million revocations. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

/** The longest are ids of passkeys. */
const ID_CHARS_MAX = 1400;

const ListFile = z.strictObject({
  format: z.literal(FORMAT),
  as_of: z.iso.datetime(),
  revoked: z.array(
    z.strictObject({
      kind: z.enum(REVOCATION_KINDS),
      id: z.string().max(ID_CHARS_MAX),
      revoked_at: z.iso.datetime(),
    }),
  ),
});

/** Everything that was revoked until a moment. */
export interface RevocationList {
  readonly asOf: number;
  readonly revocations: readonly Revocation[];
}

function readList(path: string): RevocationList {
  const text = readTextFile(path, "The list of revocations", FILE_BYTES_MAX);
  try {
    const { as_of, revoked } = ListFile.parse(JSON.parse(text));
    const revocations = revoked.map(({ kind, id, revoked_at }) => ({
      kind,
      id,
      revokedAt: Date.parse(revoked_at),
    }));
    return { asOf: Date.parse(as_of), revocations };
  } catch {
    throw new StartupError(
      `The list of revocations ${path} cannot be read. Restore a copy, or remove the file if you have none.`,
    );
  }
}

/** Every list in a data folder. */
export function readLists(dataDir: string): readonly RevocationList[] {
  const folder = join(dataDir, FOLDER);
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => FILES.test(name));
  return names.map((name) => readList(join(folder, name)));
}

const fileOf = (worker: number) => `revocations${worker === 1 ? "" : `.worker-${worker}`}.json`;

/** Durable before it returns. */
export async function writeList(
  dataDir: string,
  worker: number,
  list: RevocationList,
): Promise<void> {
  const revoked = list.revocations.map(({ kind, id, revokedAt }) => ({
    kind,
    id,
    revoked_at: isoTime(revokedAt),
  }));
  const file = { format: FORMAT, as_of: isoTime(list.asOf), revoked };
  await replaceFile(join(dataDir, FOLDER, fileOf(worker)), `${JSON.stringify(file)}\n`);
}
