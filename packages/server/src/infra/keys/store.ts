import type { KeyPurpose } from "@gatehouse/protocol";
import type { Queries, Transaction } from "../db/database.js";

type KeyState = "next" | "current" | "retired";

/** A row of signing_keys; times in milliseconds. */
export interface StoredKey {
  readonly kid: string;
  readonly purpose: KeyPurpose;
  readonly state: KeyState;
  readonly public_x: string;
  readonly sealed: string;
  readonly created_at: number;
  readonly activated_at: number | null;
  readonly retired_at: number | null;
  readonly listed_until: number | null;
}

export function allKeys(db: Queries): Promise<StoredKey[]> {
  return db.all<StoredKey>("SELECT * FROM signing_keys ORDER BY created_at, kid");
}

/**
 * Locks the slots of a purpose until the transaction ends. Called before they are read, so that on
 * PostgreSQL a transaction that waited here reads what the previous one has written.
 */
export async function lockSlots(tx: Transaction, purpose: KeyPurpose): Promise<void> {
  await tx.run(
    "UPDATE signing_keys SET state = state WHERE purpose = ? AND state <> 'retired'",
    purpose,
  );
}

export function keyInSlot(
  tx: Queries,
  purpose: KeyPurpose,
  state: "next" | "current",
): Promise<StoredKey | undefined> {
  return tx.get<StoredKey>(
    "SELECT * FROM signing_keys WHERE purpose = ? AND state = ?",
    purpose,
    state,
  );
}

export async function insertKey(tx: Transaction, key: StoredKey): Promise<void> {
  await tx.run(
    `INSERT INTO signing_keys (kid, purpose, state, public_x, sealed, created_at, activated_at,
       retired_at, listed_until) VALUES (?, ?, ?, ?, ?, ?, ?, NULL, NULL)
     ON CONFLICT (purpose, state) WHERE state <> 'retired' DO NOTHING`,
    key.kid,
    key.purpose,
    key.state,
    key.public_x,
    key.sealed,
    key.created_at,
    key.activated_at,
  );
}

export async function retireKey(
  tx: Transaction,
  kid: string,
  now: number,
  listedUntil: number,
): Promise<void> {
  await tx.run(
    "UPDATE signing_keys SET state = 'retired', retired_at = ?, listed_until = ? WHERE kid = ?",
    now,
    listedUntil,
    kid,
  );
}

export async function activateKey(tx: Transaction, kid: string, now: number): Promise<void> {
  await tx.run(
    "UPDATE signing_keys SET state = 'current', activated_at = ? WHERE kid = ?",
    now,
    kid,
  );
}

/** An older name of a key, listed beside it for a while. */
export interface KeyAlias {
  readonly alias: string;
  readonly kid: string;
  /** The alias is listed until this moment, in milliseconds. */
  readonly until: number;
}

/**
 * Why the configured key aliases cannot be listed; undefined if they can. An alias that is also a key's
 * id would list two entries under one id, and an alias of an unknown key would list none.
 */
export function keyAliasFault(
  aliases: readonly KeyAlias[],
  keys: readonly Pick<StoredKey, "kid">[],
): string | undefined {
  const known = new Set(keys.map(({ kid }) => kid));
  for (const { alias, kid } of aliases) {
    if (known.has(alias)) {
      return `GATEHOUSE_KEY_ALIASES has ${alias} as an old id, but a key of this installation has this id. Remove the entry.`;
    }
    if (!known.has(kid)) {
      return `GATEHOUSE_KEY_ALIASES refers to the key ${kid}, which does not exist. Use an id from \`gatehouse key list\`, or remove the entry.`;
    }
  }
  return undefined;
}
