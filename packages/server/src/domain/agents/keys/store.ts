import type { Queries, Transaction } from "../../../infra/db/database.js";
import type { RegisteredKey } from "../agent.js";

export interface KeyRow {
  site_key_hash: string;
  kid: string;
  agent_id: string;
  x: string;
  status: "active" | "revoked";
  created_at: number;
  not_after: number | null;
}

export function keyOf(row: KeyRow): RegisteredKey {
  return Object.freeze({
    siteKeyHash: row.site_key_hash,
    kid: row.kid,
    agentId: row.agent_id,
    jwk: Object.freeze({ kty: "OKP", crv: "Ed25519", x: row.x } as const),
    status: row.status,
    createdAt: row.created_at,
    notAfter: row.not_after,
  });
}

export async function insertKey(tx: Transaction, key: RegisteredKey): Promise<void> {
  await tx.insert("agent_keys", [
    {
      site_key_hash: key.siteKeyHash,
      kid: key.kid,
      agent_id: key.agentId,
      x: key.jwk.x,
      status: key.status,
      created_at: key.createdAt,
      not_after: key.notAfter,
    },
  ]);
}

export async function endKey(
  tx: Transaction,
  siteKeyHash: string,
  kid: string,
  end: { readonly notAfter: number } | "revoked",
): Promise<void> {
  const [set, value] =
    end === "revoked" ? ["status = ?", "revoked"] : ["not_after = ?", end.notAfter];
  await tx.run(
    `UPDATE agent_keys SET ${set} WHERE site_key_hash = ? AND kid = ?`,
    value,
    siteKeyHash,
    kid,
  );
}

export async function keyByKid(
  db: Queries,
  siteKeyHash: string,
  kid: string,
): Promise<RegisteredKey | undefined> {
  const sql = "SELECT * FROM agent_keys WHERE site_key_hash = ? AND kid = ?";
  const row = await db.get<KeyRow>(sql, siteKeyHash, kid);
  return row && keyOf(row);
}

export async function keysOf(db: Queries, agentId: string): Promise<RegisteredKey[]> {
  const sql = "SELECT * FROM agent_keys WHERE agent_id = ? ORDER BY created_at, kid";
  return (await db.all<KeyRow>(sql, agentId)).map(keyOf);
}
