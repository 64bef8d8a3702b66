import type { Queries, Transaction } from "../../../infra/db/database.js";
import { Table } from "../../../infra/db/table.js";
import type { RegisteredKey } from "../agent.js";

export const agentKeys = new Table<RegisteredKey>("agent_keys", {
  siteKeyHash: "site_key_hash",
  kid: "kid",
  agentId: "agent_id",
  jwk: {
    read: ({ x }) => Object.freeze({ kty: "OKP", crv: "Ed25519", x: x as string } as const),
    write: ({ x }) => ({ x }),
  },
  status: "status",
  createdAt: "created_at",
  notAfter: "not_after",
});

export function insertKey(tx: Transaction, key: RegisteredKey): Promise<void> {
  return agentKeys.insert(tx, [key]);
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

export const keyByKid = agentKeys.ofSiteBy("kid");

export function keysOf(db: Queries, agentId: string): Promise<RegisteredKey[]> {
  return agentKeys.all(db, "WHERE agent_id = ? ORDER BY created_at, kid", agentId);
}
