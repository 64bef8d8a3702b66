import { type Config, type Environment, readConfig } from "../config/config.js";
import { Archive } from "../domain/audit/archive/archive.js";
import { type Comparison, comparePublished } from "../domain/audit/compare-published.js";
import { KeptCheckpoints } from "../domain/audit/kept-checkpoints.js";
import { FROZEN_PAGE, frozenRemedy } from "../domain/audit/log.js";
import { LogReader } from "../domain/audit/log-reader.js";
import { pausedDomains } from "../domain/sites/pause/store.js";
import { siteHealth } from "../domain/sites/store.js";
import { isoTime, systemClock } from "../infra/clock.js";
import type { Database } from "../infra/db/database.js";
import { refuseNewerSchema, SCHEMA_VERSION, schemaVersion } from "../infra/db/migrate.js";
import { selectNumber } from "../infra/db/statements.js";
import { systemIds } from "../infra/ids.js";
import { checkClock } from "../infra/installation/clock-check.js";
import { readFact } from "../infra/installation/installation.js";
import { installationExists, openDatabase } from "../infra/installation/open.js";
import { failedJobs } from "../infra/jobs/store.js";
import { KeyRing } from "../infra/keys/key-ring.js";
import { allKeys, keyAliasFault } from "../infra/keys/store.js";
import { createLog } from "../infra/log/log.js";
import { createSecrets } from "../infra/secrets/secrets.js";
import { findSecretsKey } from "../infra/secrets/secrets-key.js";
import { StartupError } from "../startup-error.js";
import { checkArchive } from "./doctor-archive.js";
import {
  checkConfiguration,
  checkDataDir,
  checkNode,
  checkOperatorToken,
  checkTransport,
} from "./doctor-machine.js";
import { checkPasskeys } from "./doctor-people.js";
import { checkPayments, checkPlatforms } from "./doctor-sales.js";
import type { Finding } from "./finding.js";
import { checkRestored } from "./restored.js";

/** The first schema version with audit logs. */
const AUDIT_SCHEMA = 3;

/** A larger SQLite file takes seconds to read, and is read only if the operator asks for it. */
const READ_WHOLE_BYTES_MAX = 64 * 1024 * 1024;
const MB = 1024 * 1024;

export interface DoctorOptions {
  /** Reads the whole SQLite file, however large it is. */
  readonly full?: boolean;
}

/** The size of an SQLite file if it was not read because of it. */
async function unreadBytes(db: Database, { full = false }: DoctorOptions): Promise<number> {
  const bytes = await selectNumber(
    db,
    "page_count * page_size",
    "pragma_page_count(), pragma_page_size()",
  );
  return full || bytes <= READ_WHOLE_BYTES_MAX ? 0 : bytes;
}

async function checkDatabase(db: Database, options: DoctorOptions): Promise<Finding> {
  const version = await refuseNewerSchema(db);
  if (version === 0) {
    const message = "it is empty: run `gatehouse serve` once, or restore a backup";
    return { part: "database", verdict: "failure", message };
  }
  if (version < SCHEMA_VERSION) {
    return {
      part: "database",
      verdict: "warning",
      message: `the next start updates schema ${version} to ${SCHEMA_VERSION}`,
    };
  }
  const read = {
    part: "database",
    verdict: "good",
    message: `${db.dialect}, schema ${version}`,
  } as const;
  if (db.dialect === "sqlite") {
    const unread = await unreadBytes(db, options);
    if (unread > 0) {
      const size = `its ${Math.round(unread / MB)} MB were not checked for damage`;
      return { ...read, message: `${read.message}; ${size}: run \`gatehouse doctor --full\`` };
    }
    const row = await db.get<{ integrity_check: string }>("PRAGMA integrity_check");
    if (row?.integrity_check !== "ok") {
      return {
        part: "database",
        verdict: "failure",
        message: "the file is damaged: restore a backup",
      };
    }
  }
  return read;
}

async function checkKeys(config: Config, db: Database): Promise<Finding[]> {
  const key = findSecretsKey(config);
  const sealedBy = await readFact(db, "secrets_key_id");
  if (key === undefined || sealedBy === undefined) {
    const message = "it is missing: set GATEHOUSE_SECRETS_KEY to the key of this database";
    return [{ part: "secrets key", verdict: "failure", message }];
  }
  const secrets = createSecrets(key);
  if (secrets.keyId !== sealedBy) {
    const message = "it does not belong to this database: restore the original key";
    return [{ part: "secrets key", verdict: "failure", message }];
  }
  const ring = new KeyRing(db, secrets, systemClock, config.keyAliases);
  await ring.check();
  const kids = await Promise.all(
    (["card", "audit"] as const).map(async (purpose) => (await ring.signer(purpose)).kid),
  );
  const listed = new Set((await ring.listed("card")).map(({ kid }) => kid));
  const stray = config.keyAliases.filter(({ kid }) => !listed.has(kid)).map(({ alias }) => alias);
  const fault = keyAliasFault(config.keyAliases, await allKeys(db));
  if (fault !== undefined) return [{ part: "key aliases", verdict: "failure", message: fault }];
  const aliases: Finding[] = stray.map((alias) => ({
    part: "key aliases",
    verdict: "warning",
    message: `${alias} refers to a key that is not listed: see \`gatehouse key list\``,
  }));
  return [
    ...aliases,
    { part: "secrets key", verdict: "good", message: `opens this database (id ${secrets.keyId})` },
    { part: "signing keys", verdict: "good", message: `in use: ${kids.join(", ")}` },
  ];
}

async function checkJobs(db: Database): Promise<Finding> {
  const rows = await failedJobs(db);
  if (rows.length === 0)
    return { part: "jobs", verdict: "good", message: "the last runs succeeded" };
  const message = rows.map(({ name, error }) => `${name} failed (${error})`).join("; ");
  return { part: "jobs", verdict: "warning", message };
}

async function checkSites(db: Database): Promise<Finding> {
  const { total, verified, troubled } = await siteHealth(db);
  if (troubled.length > 0) {
    const message = troubled.map(({ domain, problem }) => `${domain}: ${problem}`).join("; ");
    return { part: "sites", verdict: "warning", message };
  }
  return { part: "sites", verdict: "good", message: `${total}, of which ${verified} verified` };
}

/** Reported only if sales of a site are paused, because an owner may have forgotten it. */
async function checkPauses(db: Database): Promise<Finding[]> {
  const domains = await pausedDomains(db);
  if (domains.length === 0) return [];
  const message = `paused: ${domains.join(", ")}. Resume with \`gatehouse site resume <domain>\``;
  return [{ part: "sales", verdict: "warning", message }];
}

/** Published records that this database does not have, with the possible reason and the remedy. */
function lacking({ lost, missing }: Comparison): string[] {
  const unrecorded = lost
    .filter(({ recordedBy }) => recordedBy === undefined)
    .map(({ chain }) => chain);
  const unknown = missing.map(({ origin }) => origin);
  const lacks = "this database has fewer records than were published of";
  return [
    ...(unrecorded.length === 0
      ? []
      : [
          `${lacks} ${unrecorded.join(", ")}: after a restore, start the service once. It then ` +
            "opens a log that records the loss",
        ]),
    ...(unknown.length === 0
      ? []
      : [
          `${lacks} ${unknown.join(", ")}: these logs began after the restored backup, or belong to ` +
            "another database. This warning stays, because no log of this database continues them",
        ]),
  ];
}

/** Whether the logs match their published checkpoints. */
async function checkAudit(config: Config, db: Database): Promise<Finding> {
  const part = "audit log";
  const archive = new Archive(config.archiveDir, systemIds);
  const published = new KeptCheckpoints(config.dataDir).read();
  const compared = await comparePublished(db, new LogReader(db, archive), published);
  const { frozen, lost } = compared;
  if (frozen.length > 0) {
    const message = frozen.map(({ chain, reason }) => `${chain}: ${reason}`).join("; ");
    const effect = "A frozen log accepts no records, so its site cannot decide anything";
    const [one] = frozen.length === 1 ? frozen : [];
    const fix = `To fix it, ${frozenRemedy(one?.chain ?? "<site>")}`;
    const where = `See ${config.baseUrl}/docs/${FROZEN_PAGE}`;
    return { part, verdict: "failure", message: `frozen: ${message}. ${effect}. ${fix}. ${where}` };
  }
  const lacks = lacking(compared);
  if (lacks.length > 0) return { part, verdict: "warning", message: lacks.join("; ") };
  const notes = lost.map(({ chain, size, left, recordedBy }) =>
    recordedBy === undefined
      ? ""
      : `; ${chain} has ${left} of ${size} records left, as recorded in ${recordedBy.chain} at ${isoTime(recordedBy.at)}`,
  );
  const counted =
    published.length === 0
      ? "no checkpoint was published yet"
      : `${published.length} ${published.length === 1 ? "log matches its" : "logs match their"} published checkpoints`;
  const message = `${counted}${notes.join("")}`;
  return { part, verdict: "good", message };
}

/** A check that throws is a failure of its part. */
async function attempt(part: string, check: () => Promise<Finding | Finding[]>) {
  try {
    return [await check()].flat();
  } catch (error) {
    return [{ part, verdict: "failure", message: (error as Error).message } satisfies Finding];
  }
}

async function checkInstallation(
  config: Config,
  db: Database,
  options: DoctorOptions,
): Promise<Finding[]> {
  const database = await attempt("database", () => checkDatabase(db, options));
  if (database.some(({ verdict }) => verdict === "failure")) return database;
  const version = await schemaVersion(db);
  const clock = async (): Promise<Finding> => {
    await checkClock(db, systemClock.now());
    return { part: "clock", verdict: "good", message: "not behind an earlier time" };
  };
  return [
    ...database,
    ...(await attempt("keys", () => checkKeys(config, db))),
    ...(await attempt("clock", clock)),
    ...(await attempt("jobs", () => checkJobs(db))),
    ...(await attempt("sites", () => checkSites(db))),
    // A database that still has to be migrated has no pauses.
    ...(version < SCHEMA_VERSION ? [] : await attempt("sales", () => checkPauses(db))),
    ...(version < SCHEMA_VERSION
      ? []
      : await attempt("payments", () => checkPayments(db, systemClock.now()))),
    ...(version < SCHEMA_VERSION
      ? []
      : await attempt("passkeys", () => checkPasskeys(db, config.baseUrl))),
    ...(version < SCHEMA_VERSION ? [] : await attempt("restore", () => checkRestored(db))),
    ...(version < AUDIT_SCHEMA ? [] : await attempt("audit log", () => checkAudit(config, db))),
    ...(version < SCHEMA_VERSION
      ? []
      : await attempt("audit archive", () => checkArchive(config, db))),
    ...(version < SCHEMA_VERSION ? [] : await attempt("platforms", () => checkPlatforms(db))),
  ];
}

/** Checks an installation, and changes nothing. */
export async function doctor(
  env: Environment,
  options: DoctorOptions = {},
): Promise<readonly Finding[]> {
  let config: Config;
  try {
    config = readConfig(env);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return [{ part: "configuration", verdict: "failure", message: error.message }];
  }
  const findings: Finding[] = [
    checkNode(process.versions.node),
    checkConfiguration(config),
    ...(await attempt("transport", async () => checkTransport(config, systemClock.now()))),
    ...(await attempt("data folder", async () => checkDataDir(config))),
    ...(await attempt("operator token", async () => checkOperatorToken(config))),
  ];
  if (!installationExists(config)) {
    const message = `there is none in ${config.dataDir}: run \`gatehouse serve\` once`;
    return [...findings, { part: "database", verdict: "failure", message }];
  }
  const tools = { ids: systemIds, log: createLog("silent") };
  const opened = await attempt("database", async () => {
    const db = await openDatabase(config, tools);
    try {
      return await checkInstallation(config, db, options);
    } finally {
      await db.close();
    }
  });
  return [...findings, ...opened];
}
