import type { Transaction } from "../../infra/db/database.js";
import { deleterOf } from "../../infra/db/statements.js";
import { json, Table } from "../../infra/db/table.js";

/** The result of one check of a site, with advice for the owner. */
export interface InstallFinding {
  /** `domain`, `script`, `edge` or the path of a document. */
  readonly item: string;
  /** `missing` may be what the owner wants; `unchecked` is only said by the operator; `wrong` needs a fix. */
  readonly state: "good" | "missing" | "unchecked" | "wrong";
  readonly found: string;
  /** Absent if there is nothing to do. */
  readonly advice?: string;
}

/** What the last check of the documents found, for those who may not start one. */
export interface LastCheck {
  readonly siteKeyHash: string;
  /** Another domain has to be checked anew. */
  readonly domain: string;
  readonly findings: readonly InstallFinding[];
  readonly checkedAt: number;
}

const checks = new Table<LastCheck>("install_checks", {
  siteKeyHash: "site_key_hash",
  domain: "domain",
  findings: json("findings"),
  checkedAt: "checked_at",
});

export const lastCheck = checks.by("site_key_hash");

export function writeLastCheck(tx: Transaction, check: LastCheck): Promise<void> {
  return checks.upsert(tx, check, { key: ["site_key_hash"] });
}

export const deleteLastCheck = deleterOf("install_checks");
