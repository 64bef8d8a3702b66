import type { StoredKey } from "./store.js";

/** An older name of a key, listed beside it for a while. */
export interface KeyAlias {
  readonly alias: string;
  readonly kid: string;
  /** The alias is listed until this moment, in milliseconds. */
  readonly until: number;
}

/**
 * Why the configured key aliases cannot be listed; undefined if they can. An alias that is also a key's
 * id would list two entries under one id, and an alias of an unknown key would list none.
 */
export function keyAliasFault(
  aliases: readonly KeyAlias[],
  keys: readonly Pick<StoredKey, "kid">[],
): string | undefined {
  const known = new Set(keys.map(({ kid }) => kid));
  for (const { alias, kid } of aliases) {
    if (known.has(alias)) {
      return `GATEHOUSE_KEY_ALIASES gives ${alias} as an older id, but that is the id of a key of this installation. Remove the entry.`;
    }
    if (!known.has(kid)) {
      return `GATEHOUSE_KEY_ALIASES names the key ${kid}, which this installation does not have. Use an id from \`gatehouse key list\`, or remove the entry.`;
    }
  }
  return undefined;
}
