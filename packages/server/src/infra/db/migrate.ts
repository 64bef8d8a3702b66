import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { StartupError } from "../../startup-error.js";
import { VERSION } from "../../version.js";
import { isoTime } from "../clock.js";
import type { Database, Dialect, Transaction } from "./database.js";
import type { Migration, SqlWords } from "./migration.js";
import { foundation } from "./migrations/0001-foundation.js";
import { skills } from "./migrations/0002-skills.js";
import { audit } from "./migrations/0003-audit.js";
import { visits } from "./migrations/0004-visits.js";
import { edgeTokens } from "./migrations/0005-edge-tokens.js";
import { visitsByTime } from "./migrations/0006-visits-by-time.js";
import { agents } from "./migrations/0007-agents.js";
import { decisions } from "./migrations/0008-decisions.js";
import { reviews } from "./migrations/0009-reviews.js";
import { commerce } from "./migrations/0010-commerce.js";
import { outbox } from "./migrations/0011-outbox.js";
import { spending } from "./migrations/0012-spending.js";
import { stripe } from "./migrations/0013-stripe.js";
import { ucp } from "./migrations/0014-ucp.js";
import { carts } from "./migrations/0015-carts.js";
import { captured } from "./migrations/0016-captured.js";
import { checkouts } from "./migrations/0017-checkouts.js";
import { afterSale } from "./migrations/0018-after-sale.js";
import { consoleSessions } from "./migrations/0019-console.js";
import { decisionCounts } from "./migrations/0020-decision-counts.js";
import { platforms } from "./migrations/0021-platforms.js";
import { pause } from "./migrations/0022-pause.js";
import { auditArchives } from "./migrations/0023-audit-archives.js";
import { rejections } from "./migrations/0024-rejections.js";
import { identities } from "./migrations/0025-identities.js";

import { strangerRecords } from "./migrations/0026-stranger-records.js";
import { storedBytes } from "./migrations/0027-stored-bytes.js";
import { registrationShares } from "./migrations/0028-registration-shares.js";
import { declines } from "./migrations/0029-declines.js";
import { revocations } from "./migrations/0030-revocations.js";
import { keptAnswers } from "./migrations/0031-kept-answers.js";
import { ownProfiles } from "./migrations/0032-own-profiles.js";
import { siteChecks } from "./migrations/0033-site-checks.js";
import { productSearch } from "./migrations/0034-product-search.js";
import { filteredLists } from "./migrations/0035-filtered-lists.js";
import { ucpVersions } from "./migrations/0036-ucp-versions.js";
import { orderPages } from "./migrations/0037-order-pages.js";
import { handOff } from "./migrations/0038-hand-off.js";
import { platformCredentials } from "./migrations/0039-platform-credentials.js";
import { people } from "./migrations/0040-people.js";
import { pausedProducts } from "./migrations/0041-paused-products.js";
import { reviewVerdicts } from "./migrations/0042-review-verdicts.js";
import { oidc } from "./migrations/0043-oidc.js";
import { webhookFormat } from "./migrations/0044-webhook-format.js";
import { buyers } from "./migrations/0045-buyers.js";
import { questions } from "./migrations/0046-questions.js";
import { orderNumbers } from "./migrations/0047-order-numbers.js";
import { paymentChanges } from "./migrations/0048-payment-changes.js";
import { lostRights } from "./migrations/0049-lost-rights.js";
import { sharedAddresses } from "./migrations/0050-shared-addresses.js";
import { productFeeds } from "./migrations/0051-product-feeds.js";
import { shopConnections } from "./migrations/0052-shop-connections.js";
import { accessLimits } from "./migrations/0053-access-limits.js";
import { testItems } from "./migrations/0054-test-items.js";
import { productImports } from "./migrations/0055-product-imports.js";
import { testOpenings } from "./migrations/0056-test-openings.js";
import { orderSearch } from "./migrations/0057-order-search.js";
import { boundCodes } from "./migrations/0058-bound-codes.js";
import { productPictures } from "./migrations/0059-product-pictures.js";
import { plannedShipments } from "./migrations/0060-planned-shipments.js";
import { reachedOwners } from "./migrations/0061-reached-owners.js";
import { jobNames } from "./migrations/0062-job-names.js";
import { productDetails } from "./migrations/0063-product-details.js";
import { sitePictures } from "./migrations/0064-site-pictures.js";
import { publishedDetails } from "./migrations/0065-published-details.js";
import { wordForms } from "./migrations/0066-word-forms.js";
import { productSkus } from "./migrations/0067-product-skus.js";
import { copySqlite } from "./sqlite.js";

/** In order; position + 1 is the schema version. Only ever appended to. */
const MIGRATIONS: readonly Migration[] = [
  foundation,
  skills,
  audit,
  visits,
  edgeTokens,
  visitsByTime,
  agents,
  decisions,
  reviews,
  commerce,
  outbox,
  spending,
  stripe,
  ucp,
  carts,
  captured,
  checkouts,
  afterSale,
  consoleSessions,
  decisionCounts,
  platforms,
  pause,
  auditArchives,
  rejections,
  identities,
  strangerRecords,
  storedBytes,
  registrationShares,
  declines,
  revocations,
  keptAnswers,
  ownProfiles,
  siteChecks,
  productSearch,
  filteredLists,
  ucpVersions,
  orderPages,
  handOff,
  platformCredentials,
  people,
  pausedProducts,
  reviewVerdicts,
  oidc,
  webhookFormat,
  buyers,
  questions,
  orderNumbers,
  paymentChanges,
  lostRights,
  sharedAddresses,
  productFeeds,
  shopConnections,
  accessLimits,
  testItems,
  productImports,
  testOpenings,
  orderSearch,
  boundCodes,
  productPictures,
  plannedShipments,
  reachedOwners,
  jobNames,
  productDetails,
  sitePictures,
  publishedDetails,
  wordForms,
  productSkus,
];

export const SCHEMA_VERSION = MIGRATIONS.length;

const WORDS: Readonly<Record<Dialect, SqlWords>> = {
  sqlite: {
    integer: "INTEGER",
    bytes: "BLOB",
    strict: "STRICT",
    clustered: "STRICT, WITHOUT ROWID",
    appendOnly: (table) =>
      ["UPDATE", "DELETE"]
        .map(
          (verb) =>
            `CREATE TRIGGER ${table}_no_${verb.toLowerCase()} BEFORE ${verb} ON ${table} ` +
            `BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END;`,
        )
        .join("\n"),
    deletableWhere: (table, condition) => `
DROP TRIGGER ${table}_no_delete;
CREATE TRIGGER ${table}_no_delete BEFORE DELETE ON ${table} WHEN (${condition}) IS NOT TRUE
BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END;`,
    dialect: "sqlite",
  },
  postgres: {
    integer: "BIGINT",
    bytes: "BYTEA",
    strict: "",
    clustered: "",
    // The function is on one line, because scripts are split where a line ends with a semicolon.
    appendOnly: (table) => `
CREATE FUNCTION ${table}_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '${table} is append-only'; END $$;
CREATE TRIGGER ${table}_no_change BEFORE UPDATE OR DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION ${table}_refuse();
CREATE TRIGGER ${table}_no_truncate BEFORE TRUNCATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION ${table}_refuse();`,
    deletableWhere: (table, condition) => `
CREATE OR REPLACE FUNCTION ${table}_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF TG_OP = 'DELETE' THEN IF (${condition}) IS TRUE THEN RETURN OLD; END IF; END IF; RAISE EXCEPTION '${table} is append-only'; END $$;`,
    dialect: "postgres",
  },
};

/** The tables that migrations make. A backup holds these, and nothing else that is in the same database. */
export function ownTables(): readonly string[] {
  const tables = MIGRATIONS.flatMap((migration) => [
    ...migration.sql(WORDS.sqlite).matchAll(/CREATE TABLE (\w+)/g),
  ]);
  // A later migration may make a table again.
  return [...new Set(tables.map(([, name]) => name as string).sort())];
}

/** Any fixed number, the same in every process, so that one process migrates at a time. */
const MIGRATION_LOCK = 4_217_001;

async function versionTableExists(tx: Pick<Transaction, "get">, dialect: Dialect) {
  const sql =
    dialect === "sqlite"
      ? "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = 'schema_versions'"
      : "SELECT 1 AS found WHERE to_regclass('schema_versions') IS NOT NULL";
  return (await tx.get(sql)) !== undefined;
}

/** The schema version of a database; 0 when it is empty. */
export async function schemaVersion(db: Pick<Database, "get" | "dialect">): Promise<number> {
  if (!(await versionTableExists(db, db.dialect))) return 0;
  const row = await db.get<{ version: number | null }>(
    "SELECT MAX(version) AS version FROM schema_versions",
  );
  return row?.version ?? 0;
}

/** Refuses a database that a newer build has written, because an older one would misread it. */
export async function refuseNewerSchema(
  db: Pick<Database, "get" | "dialect">,
  known = SCHEMA_VERSION,
): Promise<number> {
  const version = await schemaVersion(db);
  if (version > known) {
    throw new StartupError(
      `The database has schema version ${version}, but this build (${VERSION}) supports versions up to ` +
        `${known}. Start the newer Gatehouse that wrote it, or restore an older backup.`,
    );
  }
  return version;
}

export interface MigrateOptions {
  readonly now: number;
  /** Given for SQLite: the file, and the folder its copy goes to. */
  readonly sqlitePath?: string;
  readonly backupDir?: string;
  /** Stops at this version: a restore starts from the schema the backup was written in. */
  readonly upTo?: number;
}

/**
 * Brings the schema up to date in one transaction, so a crash leaves the old schema. An existing SQLite
 * file is copied first; PostgreSQL is backed up by its operator.
 */
export async function migrate(
  db: Database,
  options: MigrateOptions,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  const target = options.upTo ?? migrations.length;
  const before = await refuseNewerSchema(db, migrations.length);
  if (before >= target) return;
  if (before > 0 && options.sqlitePath !== undefined && options.backupDir !== undefined) {
    mkdirSync(options.backupDir, { recursive: true, mode: 0o700 });
    const stamp = isoTime(options.now).replace(/[:.]/g, "-");
    copySqlite(
      options.sqlitePath,
      join(options.backupDir, `before-schema-${before + 1}-${stamp}.db`),
    );
  }
  await db.transaction(async (tx) => {
    if (db.dialect === "postgres") {
      await db.script(tx, `SELECT pg_advisory_xact_lock(${MIGRATION_LOCK});`);
    }
    await db.script(
      tx,
      `CREATE TABLE IF NOT EXISTS schema_versions (version ${WORDS[db.dialect].integer} PRIMARY KEY,
       name TEXT NOT NULL, build TEXT NOT NULL, applied_at TEXT NOT NULL) ${WORDS[db.dialect].strict};`,
    );
    // Checked again under the lock, because a newer build may have migrated meanwhile.
    const { dialect } = db;
    const current = await refuseNewerSchema(
      { get: (sql, ...values) => tx.get(sql, ...values), dialect },
      migrations.length,
    );
    for (let version = current + 1; version <= target; version++) {
      const migration = migrations[version - 1] as Migration;
      await db.script(tx, migration.sql(WORDS[db.dialect]));
      await migration.fill?.(tx);
      await tx.run(
        "INSERT INTO schema_versions (version, name, build, applied_at) VALUES (?, ?, ?, ?)",
        version,
        migration.name,
        VERSION,
        isoTime(options.now),
      );
    }
  });
}
