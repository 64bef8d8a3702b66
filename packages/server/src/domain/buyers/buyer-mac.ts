import { createHmac } from "node:crypto";
import type { Secrets } from "../../infra/secrets/secrets.js";
import { cleanAddress } from "./address.js";

/** Stands for a buyer whose mail address is unknown, or was erased. */
export const NO_BUYER = "";

/**
 * Stands for a buyer of a site in the database, in records and in the list of erasures. Only the secrets key can
 * tell whether it belongs to an address, and the same address has another one at every site.
 */
export function buyerMacOf(secrets: Secrets, siteKeyHash: string, email: string): string {
  const key = secrets.keyFor(`buyers of ${siteKeyHash}`);
  const address = cleanAddress(email);
  return address === "" ? NO_BUYER : createHmac("sha256", key).update(address).digest("base64url");
}

/** Stands for a word of a buyer's name, as {@link nameWords} gives it, like the address has its digest. */
export function nameMacOf(secrets: Secrets, siteKeyHash: string, word: string): string {
  const key = secrets.keyFor(`names of buyers of ${siteKeyHash}`);
  return createHmac("sha256", key).update(word).digest("base64url");
}
