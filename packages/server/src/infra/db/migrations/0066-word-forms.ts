import type { Migration } from "../migration.js";

/**
 * products.title_words and body_words: besides each word its other forms, so that a search for roses finds a rose. The job
 * `products.words` rewrites them a few at a time, so that purchases on other nodes need not wait for this migration.
 */
export const wordForms: Migration = { name: "word-forms", sql: () => "" };
