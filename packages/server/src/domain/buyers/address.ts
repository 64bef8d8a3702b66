import { domainToASCII } from "node:url";
import { oneLine } from "../../infra/one-line.js";

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
export function cleanAddress(email: string): string {
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
