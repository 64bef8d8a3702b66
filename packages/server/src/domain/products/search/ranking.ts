import { isPrefix, type QueryWords } from "./expression.js";

/** The stored words of a product. */
export interface WordsOfProduct {
  readonly id: string;
  readonly title: string;
  readonly body: string;
}

/** How many words of a query a text has. */
function countIn(text: string, words: QueryWords): number {
  const stored = ` ${text} `;
  return words.filter((forms, word) =>
    forms.some((form, n) => stored.includes(` ${form}${isPrefix(words, word, n) ? "" : " "}`)),
  ).length;
}

/** The ids of products with some words of a query: with most of them first, then with most of them in the title. */
export function closestFirst(rows: readonly WordsOfProduct[], words: QueryWords): string[] {
  return rows
    .map(({ id, title, body }) => ({
      id,
      words: countIn(`${title} ${body}`, words),
      titleWords: countIn(title, words),
      size: title.length,
    }))
    .sort(
      (a, b) =>
        b.words - a.words ||
        b.titleWords - a.titleWords ||
        a.size - b.size ||
        (a.id < b.id ? -1 : 1),
    )
    .map(({ id }) => id);
}
