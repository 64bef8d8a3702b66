import type { Dialect } from "../../../infra/db/database.js";
import { siteMark } from "../../../infra/db/product-search.js";

/** The words of a query: the forms of each, any of which a product may have. */
export type QueryWords = readonly (readonly string[])[];

/** What a search looks for, in the syntax of its database. */
interface SearchExpression {
  /** Has all words. */
  readonly all: string;
  /** Has some of the words, but not all; null if it would find nothing more. */
  readonly some: string | null;
}

/** A shorter beginning of a word would match half of all words. */
const PREFIX_CHARS_MIN = 3;
/** Words of which a product needs to have only some: each costs a list of the index. */
const SOME_WORDS_MAX = 8;
/** Words that say nothing about a product, in the languages that searches know the plurals of. */
const COMMON_WORDS = new Set(
  (
    "and any are for from have need some that the this want with you your " +
    "das dem den der des die ein eine einen einer fur ich mit oder und vom von zum zur " +
    "avec dans des les pour sur une con del las los para por que una unas unos"
  ).split(" "),
);
const SHORT_WORD = /^[a-z]{1,2}$/;

const SYNTAX = {
  sqlite: { and: " AND ", or: " OR ", except: " NOT ", quote: '"', prefix: "*" },
  postgres: { and: " & ", or: " | ", except: " & !", quote: "'", prefix: ":*" },
} as const;

/** Whether the form is a word that may not be typed to its end: the last word, as it was typed. */
export function isPrefix(words: QueryWords, word: number, form: number): boolean {
  const text = words[word]?.[form] ?? "";
  return word === words.length - 1 && form === 0 && text.length >= PREFIX_CHARS_MIN;
}

/** Words contain letters and digits alone, so that none of them is read as syntax. */
export function searchExpression(
  dialect: Dialect,
  siteKeyHash: string,
  words: QueryWords,
): SearchExpression {
  const { and, or, except, quote, prefix } = SYNTAX[dialect];
  const mark = siteMark(siteKeyHash);
  const terms = words.map((forms, word) => {
    const any = forms.map((text, form) => {
      const end = isPrefix(words, word, form) ? prefix : "";
      return `${quote}${mark}${text}${quote}${end}`;
    });
    return any.length === 1 ? any.join("") : `(${any.join(or)})`;
  });
  const all = `(${terms.join(and)})`;
  const telling = terms.filter((_, word) => isTelling(words[word]?.[0] ?? ""));
  const isOther = terms.length > 1 && telling.length > 0;
  const some = `(${telling.slice(0, SOME_WORDS_MAX).join(or)})`;
  return { all, some: isOther ? `(${some}${except}${all})` : null };
}

function isTelling(word: string): boolean {
  return !COMMON_WORDS.has(word) && !SHORT_WORD.test(word);
}
