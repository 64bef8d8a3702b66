import { domainToUnicode } from "node:url";

/**
 * Whether a host name holds an `xn--` label that decodes to nothing. URL parsers disagree about
 * such names from one version to the next, so they are refused by form.
 */
export function hasBrokenPunycode(host: string): boolean {
  if (!/(^|\.)xn--/i.test(host)) return false;
  const decoded = domainToUnicode(host);
  return decoded === "" || /(^|\.)xn--/i.test(decoded);
}
