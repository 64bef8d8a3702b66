import { toBase64url } from "./base64url.js";
import { sha256, utf8 } from "./bytes.js";
import { SITE_KEY_PREFIXES } from "./wire.js";

const CURRENT = new RegExp(`^${SITE_KEY_PREFIXES.current}[A-Za-z0-9_-]{43}$`);
const LEGACY = new RegExp(`^${SITE_KEY_PREFIXES.legacy}[A-Za-z0-9_-]{8,120}$`);
const HASH = /^[A-Za-z0-9_-]{43}$/;

/**
 * Whether a text has the form of a site key, of the current or the older kind.
 *
 * @example
 * isSiteKey(`us_${"A".repeat(43)}`); //=> true
 * isSiteKey("sk_old-shop-1"); //=> true
 * isSiteKey("us_short"); //=> false
 */
export function isSiteKey(text: string): boolean {
  return CURRENT.test(text) || isLegacySiteKey(text);
}

/**
 * Whether a text has the form of a site key of the older kind, which only an import can make.
 *
 * @example
 * isLegacySiteKey("sk_old-shop-1"); //=> true
 */
export function isLegacySiteKey(text: string): boolean {
  return LEGACY.test(text);
}

/**
 * Whether a text has the form of a site key hash. An older key of 43 characters has it too, so a
 * route that takes either form looks the text up as both.
 *
 * @example
 * isSiteKeyHash("A".repeat(43)); //=> true
 */
export function isSiteKeyHash(text: string): boolean {
  return HASH.test(text);
}

/**
 * A new site key from 32 random bytes.
 *
 * @example
 * siteKeyFrom(new Uint8Array(32)); //=> `us_${"A".repeat(43)}`
 */
export function siteKeyFrom(random: Uint8Array): string {
  if (random.length !== 32) throw new TypeError("siteKeyFrom: 32 bytes are needed");
  return SITE_KEY_PREFIXES.current + toBase64url(random);
}

/**
 * The site key hash: base64url(SHA-256(ASCII site key)), 43 characters.
 *
 * @example
 * (await siteKeyHash(`us_${"A".repeat(43)}`)).length; //=> 43
 */
export async function siteKeyHash(siteKey: string): Promise<string> {
  return toBase64url(await sha256(utf8(siteKey)));
}
