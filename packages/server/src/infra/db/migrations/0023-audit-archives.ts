import type { Migration } from "../migration.js";

/**
 * - audit_archives: one row for each archived part of a day: where its file is, and what is needed
 *   of it without reading the file. `frontier` is the tree after its last record, in hex. `id_ends`
 *   holds the last eight characters of each record's id, in order, so that a guessed id opens no
 *   file; `types` counts its records by type.
 * - audit_archive_nodes: the roots of archived subtrees from 256 leaves on. Smaller ones are made
 *   again from the file.
 * - Records may be deleted once a row of audit_archives covers them, and in no other way. That row
 *   itself stays for ever.
 */
export const auditArchives: Migration = {
  name: "audit-archives",
  sql: ({ integer, strict, clustered, appendOnly, deletableWhere }) => `
CREATE TABLE audit_archives (
  chain TEXT NOT NULL,
  first_seq ${integer} NOT NULL,
  count ${integer} NOT NULL,
  day TEXT NOT NULL,
  part ${integer} NOT NULL,
  parts ${integer} NOT NULL,
  file TEXT NOT NULL,
  bytes ${integer} NOT NULL,
  sha256 TEXT NOT NULL,
  frontier TEXT NOT NULL,
  types TEXT NOT NULL,
  min_id TEXT NOT NULL,
  max_id TEXT NOT NULL,
  node TEXT NOT NULL,
  archived_at ${integer} NOT NULL,
  id_ends TEXT NOT NULL,
  PRIMARY KEY (chain, first_seq)
) ${strict};

CREATE UNIQUE INDEX audit_archives_by_day ON audit_archives (chain, day, part);
CREATE INDEX audit_archives_by_id ON audit_archives (chain, min_id, max_id);

CREATE TABLE audit_archive_nodes (
  chain TEXT NOT NULL,
  level ${integer} NOT NULL,
  place ${integer} NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (chain, level, place)
) ${clustered};

${appendOnly("audit_archives")}

${appendOnly("audit_archive_nodes")}

${deletableWhere(
  "audit_records",
  "OLD.seq < (SELECT a.first_seq + a.count FROM audit_archives a WHERE a.chain = OLD.chain AND a.first_seq <= OLD.seq ORDER BY a.first_seq DESC LIMIT 1)",
)}
`,
};
