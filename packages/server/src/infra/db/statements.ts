import type { Dialect, Queries, SqlValue } from "./database.js";

/** The value of an aggregate such as `SUM(bytes)` as a number; 0 if it is NULL. */
export async function selectNumber(
  db: Queries,
  expression: string,
  from: string,
  ...values: SqlValue[]
): Promise<number> {
  return Number((await selectValue(db, expression, from, ...values)) ?? 0);
}

export function countRows(db: Queries, from: string, ...values: SqlValue[]): Promise<number> {
  return selectNumber(db, "COUNT(*)", from, ...values);
}

export async function rowExists(
  db: Queries,
  from: string,
  ...values: SqlValue[]
): Promise<boolean> {
  return (await selectValue(db, "1", `${from} LIMIT 1`, ...values)) !== undefined;
}

/** One column of the first row; undefined if there is no row. `from` is what follows `FROM`. */
export async function selectValue<T>(
  db: Queries,
  column: string,
  from: string,
  ...values: SqlValue[]
): Promise<T | undefined> {
  return (await db.get<{ value: T }>(`SELECT ${column} AS value FROM ${from}`, ...values))?.value;
}

/** One column of all rows. */
export async function selectValues<T>(
  db: Queries,
  column: string,
  from: string,
  ...values: SqlValue[]
): Promise<T[]> {
  const rows = await db.all<{ value: T }>(`SELECT ${column} AS value FROM ${from}`, ...values);
  return rows.map(({ value }) => value);
}

/** A function that deletes the rows of a site that is being deleted. */
export function deleterOf(...tables: readonly string[]) {
  return async (tx: Queries, siteKeyHash: string): Promise<void> => {
    for (const table of tables) {
      await tx.run(`DELETE FROM ${table} WHERE site_key_hash = ?`, siteKeyHash);
    }
  };
}

/** A condition of a list. Its SQL must be a constant of the code; only its values come from callers. */
export interface Condition {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** Undefined if there is no value to compare with, so that the list is not restricted. */
export function equals(column: string, value: SqlValue | undefined): Condition | undefined {
  return value === undefined ? undefined : { sql: `${column} = ?`, values: [value] };
}

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
 * One of the columns contains a text. Case is ignored, and no character is a wildcard. Undefined if there
 * is no text to look for. The pattern lists the cases of each letter, because the result of `lower` and
 * `LIKE` depends on the database and its locale.
 */
export function containing(
  dialect: Dialect,
  columns: readonly string[],
  text: string | undefined,
): Condition | undefined {
  if (text === undefined) return undefined;
  const { operator, plain, whole } = SYNTAX[dialect];
  const pattern = [...text]
    .map((character) => {
      const cases = casesOf(character);
      return cases.length > 1 ? `[${cases.join("")}]` : plain(character);
    })
    .join("");
  const any = columns.map((column) => `${column} ${operator} ?`).join(" OR ");
  return { sql: `(${any})`, values: columns.map(() => whole(pattern)) };
}
