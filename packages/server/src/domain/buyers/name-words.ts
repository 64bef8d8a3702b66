/** Words of a name that are stored: more than any person has. */
const NAME_WORDS_MAX = 16;

/**
 * The words of names as they are compared: without case, accents and punctuation, and each once.
 *
 * @example
 * nameWords("José María", "Maria O'Neill"); //=> ["jose", "maria", "o", "neill"]
 */
export function nameWords(...names: readonly string[]): string[] {
  const plain = names.join(" ").normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return [...new Set(plain.match(/[\p{L}\p{N}]+/gu))].slice(0, NAME_WORDS_MAX);
}
