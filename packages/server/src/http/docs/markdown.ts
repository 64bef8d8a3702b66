import { htmlText } from "@gatehouse/protocol";
import type { RendererObject, Token, Tokens } from "marked";

/** Addresses a page may link to: web pages, mail addresses and other pages of the documentation. */
const LINK =
  /^(?:https?:\/\/[^\s\\]+|mailto:[^\s\\]+|(?!\/\/)[\w./-]*(?:#[\p{L}\p{M}\p{N}_-]+)?)$/u;
/** The comment at the top of a generated page, which tells people not to edit it. */
const GENERATED_NOTE = /^(?:<!--[^>]*-->\s*)+/;

/** Search engines show about this much of a description. */
const SUMMARY_CHARS_MAX = 155;

export interface Rendered {
  /** The text of its first heading. */
  readonly title: string;
  /** The beginning of its first paragraph; empty if it has none. */
  readonly summary: string;
  readonly html: string;
}

export interface LinkGroup {
  readonly title: string;
  readonly links: readonly { readonly text: string; readonly href: string }[];
}

/** The plain text of inline tokens. */
function wordsOf(tokens: readonly Token[]): string {
  return tokens
    .map((token) => ("tokens" in token && token.tokens ? wordsOf(token.tokens) : wordOf(token)))
    .join("");
}

function wordOf(token: Token): string {
  if (token.type === "br") return " ";
  return "text" in token ? String(token.text) : "";
}

function firstLink(tokens: readonly Token[]): Tokens.Link | undefined {
  for (const token of tokens) {
    if (token.type === "link") return token as Tokens.Link;
    const inside = "tokens" in token && token.tokens ? firstLink(token.tokens) : undefined;
    if (inside !== undefined) return inside;
  }
  return undefined;
}

/** GitHub drops these characters when it makes the anchor of a heading. */
const DROPPED = /[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu;

/** Makes the anchors of one page's headings as GitHub does, so that links work here and there. */
function slugger(): (heading: string) => string {
  const used = new Map<string, number>();
  return (heading) => {
    const plain = heading.toLowerCase().replace(DROPPED, "").replaceAll(" ", "-");
    let slug = plain;
    while (used.has(slug)) {
      const next = (used.get(plain) ?? 0) + 1;
      used.set(plain, next);
      slug = `${plain}-${next}`;
    }
    used.set(slug, 0);
    return slug;
  };
}

const PICTURE = /^(?:\.\.\/)?pictures\/[a-z-]+\.png$/;

/** Changes to the library's HTML: anchors, scrolling tables and code, and no unsafe links or images. */
function ownRenderer(): RendererObject {
  const slugOf = slugger();
  return {
    heading({ tokens, depth }) {
      const slug = htmlText(slugOf(wordsOf(tokens)));
      return `<h${depth} id="${slug}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    // Wide content scrolls on its own. `tabindex` lets people scroll it with the keyboard.
    code({ text }) {
      return `<pre tabindex="0"><code>${htmlText(text)}</code></pre>\n`;
    },
    table({ header, rows }) {
      const row = (cells: readonly Tokens.TableCell[], tag: string) =>
        `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join("")}</tr>`;
      const body = rows.map((cells) => row(cells, "td")).join("\n");
      const table = `<table>\n<thead>${row(header, "th")}</thead>\n<tbody>${body}</tbody>\n</table>`;
      return `<div class="table" role="group" aria-label="Table" tabindex="0">${table}</div>\n`;
    },
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      return LINK.test(href) ? `<a href="${htmlText(href)}">${text}</a>` : text;
    },
    // Pictures of this documentation; others become their words.
    image({ href, text }) {
      if (!PICTURE.test(href)) return htmlText(text);
      return `<img src="${htmlText(href)}" alt="${htmlText(text)}" loading="lazy">`;
    },
  };
}

/**
 * Parses Markdown without HTML: the library would pass HTML through, so its tokens are switched off and
 * HTML becomes text. The library is loaded at the first request for a page.
 */
async function readMarkdown(text: string) {
  const { Marked } = await import("marked");
  const marked = new Marked({
    tokenizer: { html: () => undefined, tag: () => undefined },
    renderer: ownRenderer(),
  });
  return { marked, tokens: marked.lexer(text.replace(GENERATED_NOTE, "")) };
}

export async function renderMarkdown(text: string): Promise<Rendered> {
  const { marked, tokens } = await readMarkdown(text);
  const heading = tokens.find((token): token is Tokens.Heading => token.type === "heading");
  const paragraph = tokens.find((token): token is Tokens.Paragraph => token.type === "paragraph");
  return {
    title: wordsOf(heading?.tokens ?? []),
    summary: cutWords(wordsOf(paragraph?.tokens ?? [])),
    html: marked.parser(tokens),
  };
}

/** A heading and the text below it, in one line. */
export interface TextSection {
  readonly heading: string;
  readonly anchor: string;
  readonly text: string;
}

/** The text of a token and of everything inside it. */
function textOf(token: Token): string {
  if (token.type === "list") return (token as Tokens.List).items.map(textOf).join(" ");
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table;
    return [...header, ...rows.flat()].map((cell) => wordsOf(cell.tokens)).join(" ");
  }
  return "tokens" in token && token.tokens ? wordsOf(token.tokens) : wordOf(token);
}

/** The sections of a page, by its headings. */
export async function sectionsOf(text: string): Promise<readonly TextSection[]> {
  const slugOf = slugger();
  const sections: { heading: string; anchor: string; parts: string[] }[] = [];
  for (const token of (await readMarkdown(text)).tokens) {
    if (token.type === "heading") {
      const heading = wordsOf(token.tokens ?? []);
      sections.push({ heading, anchor: slugOf(heading), parts: [] });
    } else sections.at(-1)?.parts.push(textOf(token));
  }
  return sections.map(({ heading, anchor, parts }) => ({
    heading,
    anchor,
    text: parts.join(" ").replace(/\s+/g, " ").trim(),
  }));
}

/** Joins text to one line and cuts it between two words. */
function cutWords(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= SUMMARY_CHARS_MAX) return line;
  return `${line.slice(0, SUMMARY_CHARS_MAX).replace(/\s+\S*$/, "")}…`;
}

/** The lists of a page by their headings, with the first link of each item. */
export async function linkListsOf(text: string): Promise<readonly LinkGroup[]> {
  const groups: { title: string; links: { text: string; href: string }[] }[] = [];
  for (const token of (await readMarkdown(text)).tokens) {
    if (token.type === "heading") groups.push({ title: wordsOf(token.tokens ?? []), links: [] });
    if (token.type !== "list") continue;
    for (const item of (token as Tokens.List).items) {
      const link = firstLink(item.tokens);
      if (link === undefined) continue;
      groups.at(-1)?.links.push({ text: wordsOf(link.tokens), href: link.href });
    }
  }
  return groups.filter(({ links }) => links.length > 0);
}
