import { htmlText, LIGHT_COLORS, MARK_PATH, markSvg } from "@gatehouse/protocol";
import { VERSION } from "../../version.js";
import type { LinkGroup, Rendered } from "./markdown.js";

export const DOCS_PATH = "/docs";
export const FIRST_PAGE = "README.md";
export const STYLE_PATH = `${DOCS_PATH}/style.css`;
export const SEARCH_PATH = `${DOCS_PATH}/search`;

/** Ids of the page itself. Ids of headings have no capital letters, so they never clash. */
const TEXT_ID = "Text";
const ALL_ID = "All";

/** No scripts, and no content from other origins. */
const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  // The search.
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

export const PAGE_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  "content-security-policy": POLICY,
  "referrer-policy": "no-referrer",
});

function groupHtml({ title, links }: LinkGroup, current: string | undefined): string {
  const items = links.map(({ text, href }) => {
    const mark = href === current ? ' aria-current="page"' : "";
    return `<li><a href="${DOCS_PATH}/${htmlText(href)}"${mark}>${htmlText(text)}</a></li>`;
  });
  return `<h2>${htmlText(title)}</h2>\n<ul>\n${items.join("\n")}\n</ul>`;
}

/** The results of a search, as the text of a page. */
export function searchResults(query: string, results: string): Rendered {
  const title = query === "" ? "Search" : `Search: ${query}`;
  return {
    title,
    summary: "Search the documentation.",
    html: `<h1>${htmlText(title)}</h1>\n${results}`,
  };
}

/** The color is that of the mark in the light theme, which is also seen on dark tabs. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="${LIGHT_COLORS.act}" d="${MARK_PATH}"/></svg>`,
)}`;

const SEARCH_FORM = `<form class="search" role="search" action="${SEARCH_PATH}">
<label for="Query">Search</label> <input type="search" id="Query" name="q" maxlength="100" required>
<button type="submit">Search</button>
</form>`;

/**
 * A page with its text and a list of all pages, which is beside the text, or below it on a phone. `name` is
 * the path of the page below `/docs`; undefined for a page that is not a document.
 */
export function docsPage(
  name: string | undefined,
  { title, summary, html }: Rendered,
  groups: readonly LinkGroup[],
): string {
  const heading = title === "" ? (name ?? "") : title;
  const description = summary === "" ? heading : summary;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${htmlText(heading)} · Gatehouse</title>
<meta name="description" content="${htmlText(description)}">
<link rel="stylesheet" href="${STYLE_PATH}">
<link rel="icon" href="${ICON}">
${name === undefined ? "" : `<link rel="alternate" type="text/markdown" href="${DOCS_PATH}/${htmlText(name)}">\n`}</head>
<body>
<a class="skip" href="#${TEXT_ID}">Skip to the text</a>
<header><a href="${DOCS_PATH}/${FIRST_PAGE}">${markSvg(24)} Gatehouse documentation</a>
${SEARCH_FORM}
<a href="#${ALL_ID}">All documents</a></header>
<div class="columns">
<main id="${TEXT_ID}" tabindex="-1">
${html}</main>
<nav id="${ALL_ID}" aria-label="All documents">
${groups.map((group) => groupHtml(group, name)).join("\n")}
</nav>
</div>
<footer>Gatehouse ${VERSION}${name === undefined ? "" : ' · <a href="?as=markdown">this page as Markdown</a>'}</footer>
</body>
</html>
`;
}
