/**
 * How the words of products are searched. In the index each word begins with its site, so that a search
 * reads what one site sells, and not the products of all sites that have the same words.
 */

const SITE_CHARS = 8;

/** What the words of a site begin with: letters and digits alone, because both databases split at others. */
export function siteMark(siteKeyHash: string): string {
  return `s${siteKeyHash.slice(0, SITE_CHARS).replaceAll("-", "x").replaceAll("_", "y")}`;
}

/** In SQL, the words of a column with the mark in front of each. */
export function markedWords(column: string, siteKeyHash: string): string {
  const start = `substr(${siteKeyHash}, 1, ${SITE_CHARS})`;
  const mark = `'s' || replace(replace(${start}, '-', 'x'), '_', 'y')`;
  return `${mark} || replace(${column}, ' ', ' ' || ${mark})`;
}

const vector = (column: string, weight: string) =>
  `setweight(to_tsvector('simple', ${markedWords(column, "site_key_hash")}), '${weight}')`;

export const POSTGRES_TITLE_WORDS = vector("title_words", "A");

/** What PostgreSQL searches. The expression must be the same in the index and in every query. */
export const POSTGRES_PRODUCT_WORDS = `(${POSTGRES_TITLE_WORDS} || ${vector("body_words", "B")})`;
