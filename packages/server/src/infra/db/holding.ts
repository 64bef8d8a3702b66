import type { Dialect } from "./database.js";

/** How a letter may be written: in small and in capitals, as one character each. */
function casesOf(character: string): readonly string[] {
  const all = [character, character.toLowerCase(), character.toUpperCase()];
  return [...new Set(all)].filter((one) => [...one].length === 1);
}

const WORDS = {
  sqlite: {
    operator: "GLOB",
    plain: (character: string) => character.replace(/[*?[]/, "[$&]"),
    whole: (pattern: string) => `*${pattern}*`,
  },
  postgres: {
    operator: "~",
    plain: (character: string) => character.replace(/[\\.^$*+?()[\]{}|]/, "\\$&"),
    whole: (pattern: string) => pattern,
  },
} as const;

/**
 * A condition to add to others: one of the columns holds a text, whatever the case of its letters, and
 * nothing in it means more than itself. Empty where no text is asked for. Each letter names its cases:
 * what `lower` and `LIKE` take for one depends on the database and its locale.
 */
export function holding(
  dialect: Dialect,
  columns: readonly string[],
  text: string | undefined,
): { readonly sql: string; readonly values: readonly string[] } {
  if (text === undefined) return { sql: "", values: [] };
  const { operator, plain, whole } = WORDS[dialect];
  const pattern = [...text]
    .map((character) => {
      const cases = casesOf(character);
      return cases.length > 1 ? `[${cases.join("")}]` : plain(character);
    })
    .join("");
  const any = columns.map((column) => `${column} ${operator} ?`).join(" OR ");
  return { sql: ` AND (${any})`, values: columns.map(() => whole(pattern)) };
}
