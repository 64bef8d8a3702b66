const HASH_HEX_CHARS = 64;

/** Concatenates hashes. */
export function hashesIn(text: string): string[] {
  return text.match(new RegExp(`.{${HASH_HEX_CHARS}}`, "g")) ?? [];
}
