/** Names in one message. A site can have many more. */
const NAMES_MAX = 10;

/**
 * What a site offers, for callers that asked for something else.
 *
 * @example
 * liveNames(["get_pricing", "sign_up"]); //=> "Live now: get_pricing, sign_up."
 */
export function liveNames(names: readonly string[]): string {
  if (names.length === 0) return "Nothing is live now.";
  const more = names.length > NAMES_MAX ? `, and ${names.length - NAMES_MAX} more` : "";
  return `Live now: ${names.slice(0, NAMES_MAX).join(", ")}${more}.`;
}
