import type { Dialect } from "./database.js";

/** The lower and upper case of a letter, where each is one character. */
function casesOf(character: string): readonly string[] {
  const forms = [character, character.toLowerCase(), character.toUpperCase()];
  return [...new Set(forms)].filter((form) => [...form].length === 1);
}

const SYNTAX = {
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
 * An SQL condition, to be added to others: one of the columns contains a text. Case is ignored, and no
 * character is a wildcard. Empty if there is no text to look for. The pattern lists the cases of each
 * letter, because the result of `lower` and `LIKE` depends on the database and its locale.
 */
export function containing(
  dialect: Dialect,
  columns: readonly string[],
  text: string | undefined,
): { readonly sql: string; readonly values: readonly string[] } {
  if (text === undefined) return { sql: "", values: [] };
  const { operator, plain, whole } = SYNTAX[dialect];
  const pattern = [...text]
    .map((character) => {
      const cases = casesOf(character);
      return cases.length > 1 ? `[${cases.join("")}]` : plain(character);
    })
    .join("");
  const any = columns.map((column) => `${column} ${operator} ?`).join(" OR ");
  return { sql: ` AND (${any})`, values: columns.map(() => whole(pattern)) };
}
