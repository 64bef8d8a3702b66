import { type Refusal, refuse } from "@gatehouse/protocol";
import { shopConnection } from "../../domain/shop-connections/store.js";
import type { Queries } from "../../infra/db/database.js";

/** Refuses a change by hand of products that come from a shop system: its next message would undo it. */
export async function ownedByShop(
  db: Queries,
  siteKeyHash: string,
): Promise<Refusal<"conflict"> | undefined> {
  const connection = await shopConnection(db, siteKeyHash);
  if (connection === undefined) return undefined;
  return refuse(
    "conflict",
    `The products of this site come from ${connection.system}. Change them there, or pause them here.`,
  );
}
