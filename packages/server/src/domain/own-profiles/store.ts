import type { Transaction } from "../../infra/db/database.js";
import { deleterOf } from "../../infra/db/statements.js";
import { flag, Table } from "../../infra/db/table.js";

/** Whether a site serves its UCP profile on its own domain. */
export interface OwnProfile {
  readonly siteKeyHash: string;
  readonly url: string;
  readonly served: boolean;
  readonly checkedAt: number;
}

const profiles = new Table<OwnProfile>("own_profiles", {
  siteKeyHash: "site_key_hash",
  url: "url",
  served: flag("served"),
  checkedAt: "checked_at",
});

export const ownProfile = profiles.by("site_key_hash");

export function writeOwnProfile(tx: Transaction, profile: OwnProfile): Promise<void> {
  return profiles.upsert(tx, profile, { key: ["site_key_hash"] });
}

export const deleteOwnProfile = deleterOf("own_profiles");
