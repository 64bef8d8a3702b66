/**
 * An installation as the first release left it: its schema, its secrets key, its signing keys, and a
 * site. The one place of the drill that knows the inside: no older version is here to be run.
 */
import { siteKeyFrom, siteKeyHash } from "../../packages/protocol/dist/index.js";
import { readConfig } from "../../packages/server/dist/config/config.js";
import { ManualClock } from "../../packages/server/dist/infra/clock.js";
import { migrate } from "../../packages/server/dist/infra/db/migrate.js";
import { systemIds } from "../../packages/server/dist/infra/ids.js";
import { bindSecrets } from "../../packages/server/dist/infra/installation/bind-secrets.js";
import { openDatabase, openDataDir } from "../../packages/server/dist/infra/installation/open.js";
import { KeyRing } from "../../packages/server/dist/infra/keys/key-ring.js";
import { createLog } from "../../packages/server/dist/infra/log/log.js";

const FIRST_SCHEMA = 1;
const DAY_MS = 86_400_000;
/** Old enough for the announced keys to be known to everybody: they may be rotated. */
const AGE_MS = 30 * DAY_MS;
const SITE_KEY_BYTES = 32;

/** A row of `sites` with the columns the first schema had, and no other. */
async function siteRow(domain, at) {
  const siteKey = siteKeyFrom(systemIds.bytes(SITE_KEY_BYTES));
  return {
    site_key: siteKey,
    site_key_hash: await siteKeyHash(siteKey),
    domain,
    name: "A site of the first release",
    description: "",
    status: "verified",
    version: 2,
    verification_token: "of-the-first-release",
    verification_method: "operator",
    verification_reason: "known to us",
    verified_at: at,
    checked_at: at,
    failed_days: 0,
    problem: null,
    created_at: at,
    changed_at: at,
    deleted_at: null,
  };
}

async function open(env) {
  const config = readConfig(env);
  openDataDir(config.dataDir);
  const db = await openDatabase(config, { ids: systemIds, log: createLog("silent") });
  return { config, db };
}

/** A table, view or sequence of anybody: those of PostgreSQL itself do not count. */
const ANYTHING =
  "SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace " +
  "WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') " +
  "AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%' LIMIT 1";

/** The drill writes; a database that holds anything at all is never touched. */
export async function refuseOccupied(env) {
  if (env.GATEHOUSE_DATABASE_URL === undefined) return;
  const { db } = await open(env);
  try {
    const row = await db.get(ANYTHING);
    if (row === undefined) return;
    const { host, pathname } = new URL(env.GATEHOUSE_DATABASE_URL);
    throw new Error(
      `${host}${pathname} is not empty (it has ${row.name}): name an empty database.`,
    );
  } finally {
    await db.close();
  }
}

/** Fills an empty data folder or database; says which keys sign there. */
export async function makeFirstInstallation(env, domain) {
  const at = Date.now() - AGE_MS;
  const { config, db } = await open(env);
  try {
    await migrate(db, { now: at, upTo: FIRST_SCHEMA });
    const secrets = await bindSecrets(config, db, systemIds, undefined);
    const keys = new KeyRing(db, secrets, new ManualClock(at), []);
    await keys.start();
    const row = await siteRow(domain, at);
    await db.transaction((tx) => tx.insert("sites", [row]));
    const kidOf = async (purpose) => (await keys.signer(purpose)).kid;
    return {
      schema: FIRST_SCHEMA,
      siteKey: row.site_key,
      kids: { card: await kidOf("card"), audit: await kidOf("audit") },
    };
  } finally {
    await db.close();
  }
}
