import { htmlText } from "@gatehouse/protocol";
import type { RendererObject, Token, Tokens } from "marked";

/** Addresses a page may link to: of the web, of mail, and of what stands beside it. */
const LINK =
  /^(?:https?:\/\/[^\s\\]+|mailto:[^\s\\]+|(?!\/\/)[\w./-]*(?:#[\p{L}\p{M}\p{N}_-]+)?)$/u;
/** What made pages say of themselves to whoever would edit them. */
const NOTE = /^(?:<!--[^>]*-->\s*)+/;

/** What search engines show of a description. */
const SUMMARY_CHARS_MAX = 155;

export interface Rendered {
  /** The words of its first heading. */
  readonly title: string;
  /** The words of its first paragraph, cut to what search engines show; empty where it has none. */
  readonly summary: string;
  readonly html: string;
}

export interface LinkGroup {
  readonly title: string;
  readonly links: readonly { readonly text: string; readonly href: string }[];
}

/** The words of inline tokens, without their marks. */
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

/** What GitHub drops from a heading to make its anchor: all but letters, digits, `_`, `-` and spaces. */
const DROPPED = /[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu;

/** Anchors of one page's headings, as GitHub makes them, so that a link works there and here. */
function slugger(): (heading: string) => string {
  const given = new Map<string, number>();
  return (heading) => {
    const plain = heading.toLowerCase().replace(DROPPED, "").replaceAll(" ", "-");
    let slug = plain;
    while (given.has(slug)) {
      const next = (given.get(plain) ?? 0) + 1;
      given.set(plain, next);
      slug = `${plain}-${next}`;
    }
    given.set(slug, 0);
    return slug;
  };
}

/** How our pages differ from the library's: anchors, what scrolls, and which links are links. */
function ownRenderer(): RendererObject {
  const slugOf = slugger();
  return {
    heading({ tokens, depth }) {
      const slug = htmlText(slugOf(wordsOf(tokens)));
      return `<h${depth} id="${slug}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
    },
    // What is wider than a phone scrolls by itself, by finger and by key.
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
    image({ text }) {
      return htmlText(text);
    },
  };
}

/**
 * The library passes HTML on and takes any link: here HTML is not read as such at all, so that it is
 * text like any other. Loaded when somebody first looks at a page.
 */
async function readMarkdown(text: string) {
  const { Marked } = await import("marked");
  const marked = new Marked({
    tokenizer: { html: () => undefined, tag: () => undefined },
    renderer: ownRenderer(),
  });
  return { marked, tokens: marked.lexer(text.replace(NOTE, "")) };
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

/** One line of text, cut between two words. */
function cutWords(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= SUMMARY_CHARS_MAX) return line;
  return `${line.slice(0, SUMMARY_CHARS_MAX).replace(/\s+\S*$/, "")}…`;
}

/** The lists of a page below its headings: of each item, the first link. */
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
