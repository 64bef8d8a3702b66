import { createHmac } from "node:crypto";
import { domainToASCII } from "node:url";
import { oneLine } from "../../infra/one-line.js";
import type { Secrets } from "../../infra/secrets/secrets.js";

/** A rough check: only a message to the address proves more. */
const ADDRESS = /^[^\s@]+@[^\s@]+$/;
/** Other domains stay as they are, because the conversion would cut them at a slash. */
const DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;

/** Whether a buyer can order with this address, and be found by it. */
export const isBuyerAddress = (text: string) => ADDRESS.test(text);

/**
 * The same text for all spellings of an address: without hidden characters and outer spaces, in lower case, and
 * with the domain in the form that DNS uses.
 */
function cleanAddress(email: string): string {
  // No address needs the joiners and direction marks that a line of text may have.
  const text = oneLine(email)
    .replace(/\p{Cf}/gu, "")
    .normalize("NFC")
    .trim()
    .toLowerCase();
  const at = text.lastIndexOf("@");
  const domain = text.slice(at + 1);
  if (at < 0 || !DOMAIN.test(domain)) return text;
  return text.slice(0, at + 1) + (domainToASCII(domain) || domain);
}

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
