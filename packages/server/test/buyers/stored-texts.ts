import type { Context } from "../../src/context.ts";
import { ownTables } from "../../src/infra/db/migrate.ts";
import { unpackJson } from "../../src/infra/db/table.ts";

/** JSON, or what it looks like compressed. */
const STORED_JSON = /^[[{]|^[A-Za-z0-9+/]+={0,2}$/;

/** A stored text as people would read it. */
function readable(text: string): string {
  // Most texts are ids and times: unpacking each of them in vain takes longer than all else here.
  if (!STORED_JSON.test(text)) return text;
  try {
    return JSON.stringify(unpackJson(text));
  } catch {
    return text;
  }
}

/** The tables with a text of a site, or of no site, that contains one of the words, compressed or not. */
export async function tablesWith(
  { db }: Pick<Context, "db">,
  { site_key_hash: site }: { readonly site_key_hash: string },
  words: readonly string[],
): Promise<string[]> {
  const found: string[] = [];
  for (const table of ownTables()) {
    const rows = await db.all<Record<string, unknown>>(`SELECT * FROM ${table}`);
    const own = rows.filter(({ site_key_hash = site }) => site_key_hash === site);
    const texts = own.flatMap((row) => Object.values(row)).filter((one) => typeof one === "string");
    const isFound = texts.some((text) => {
      const plain = `${text} ${readable(text)}`.toLowerCase();
      return words.some((word) => plain.includes(word.toLowerCase()));
    });
    if (isFound) found.push(table);
  }
  return found;
}
