import { htmlText } from "@gatehouse/protocol";
import { DOCS_PATH } from "./page.js";

/** A part of a page from one heading to the next. */
export interface Section {
  /** The path of the page below `/docs`. */
  readonly page: string;
  readonly pageTitle: string;
  readonly heading: string;
  readonly anchor: string;
  /** The text below the heading, in one line. */
  readonly text: string;
}

interface IndexedSection extends Section {
  readonly headingWords: string;
  readonly textWords: string;
}

export const QUERY_CHARS_MAX = 100;
const QUERY_WORDS_MAX = 8;
const RESULTS_MAX = 20;
/** Text that is shown before and after what was found. */
const EXCERPT_BEFORE_CHARS = 60;
const EXCERPT_CHARS = 220;
const TITLE_WEIGHT = 8;
const HEADING_WEIGHT = 4;
/** A long page is not better because it repeats a word. */
const COUNTED_MAX = 5;

/** Lower case without accents, so that people need not type them. */
const plain = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

/** The place of a word in a text; it must begin there, and may go on. */
function wordStart(text: string, word: string, from = 0): number {
  for (let at = text.indexOf(word, from); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1] as string)) return at;
  }
  return -1;
}

function countOf(text: string, word: string): number {
  let count = 0;
  for (let at = wordStart(text, word); at >= 0 && count < COUNTED_MAX; count++) {
    at = wordStart(text, word, at + 1);
  }
  return count;
}

/** How well a section answers; 0 if one of the words is not in it. */
function scoreOf(section: IndexedSection, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const inTitle = wordStart(plain(section.pageTitle), word) >= 0 ? TITLE_WEIGHT : 0;
    const inHeading = wordStart(section.headingWords, word) >= 0 ? HEADING_WEIGHT : 0;
    const points = inTitle + inHeading + countOf(section.textWords, word);
    if (points === 0) return 0;
    score += points;
  }
  return score;
}

function excerptOf({ text, textWords }: IndexedSection, [word = ""]: readonly string[]): string {
  const position = Math.max(wordStart(textWords, word), 0);
  const start = Math.max(position - EXCERPT_BEFORE_CHARS, 0);
  const cut = text.slice(start, start + EXCERPT_CHARS);
  const head = start === 0 ? cut : `…${cut.replace(/^\S*\s/, "")}`;
  return start + EXCERPT_CHARS >= text.length ? head : `${head.replace(/\s\S*$/, "")}…`;
}

/** Searches the pages of this build. All of it is in memory: some hundred pages. */
export class DocsIndex {
  private readonly sections: readonly IndexedSection[];

  constructor(sections: readonly Section[]) {
    this.sections = sections.map((section) => ({
      ...section,
      headingWords: plain(section.heading),
      textWords: plain(section.text),
    }));
  }

  /** The sections that have every word of a query, the best first, as HTML. */
  search(query: string): string {
    const words = plain(query)
      .split(/[^\p{L}\p{N}_-]+/u)
      .filter(Boolean)
      .slice(0, QUERY_WORDS_MAX);
    if (words.length === 0) return "<p>Enter one or more words.</p>\n";
    const matches = this.sections
      .map((section) => ({ section, score: scoreOf(section, words) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .slice(0, RESULTS_MAX);
    if (matches.length === 0) {
      return `<p>No page has all of these words: ${htmlText(words.join(", "))}. Try fewer words.</p>\n`;
    }
    const items = matches.map(({ section }) => {
      const { page, anchor, pageTitle, heading } = section;
      const title = heading === pageTitle ? pageTitle : `${pageTitle}: ${heading}`;
      const href = `${DOCS_PATH}/${htmlText(page)}#${htmlText(anchor)}`;
      const excerpt = htmlText(excerptOf(section, words));
      return `<li><a href="${href}">${htmlText(title)}</a><br>${excerpt}</li>`;
    });
    return `<ol class="found">\n${items.join("\n")}\n</ol>\n`;
  }
}
