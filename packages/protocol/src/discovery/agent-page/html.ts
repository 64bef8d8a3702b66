import { toBase64 } from "../../base64.js";
import { sha256, utf8 } from "../../bytes.js";
import { siteOrigin } from "../../url.js";
import { type OfferedProduct, priceText } from "../offered-product.js";
import { answersOf, type PublishedAnswer } from "../published-answer.js";
import type { LiveSkill } from "../skills.js";
import type { SiteSnapshot } from "../snapshot.js";
import { htmlText, scriptJson } from "../text.js";
import { pageLinks } from "./links.js";
import { siteProtocols, statusText } from "./protocols.js";
import { STYLE } from "./style.js";
import { callSteps, inlineHtml, opening, verifySteps } from "./wording.js";

/**
 * The page's Content-Security-Policy: its one style sheet, pictures of products, and nothing else. The data
 * blocks are not scripts to a browser and need no exception. No script can run, so `connect-src` lets
 * nothing out: it is there for page checkers, which look for robots.txt and llms.txt from the page.
 *
 * @example
 * (await agentPagePolicy()).startsWith("default-src 'none'; style-src 'sha256-"); //=> true
 */
export async function agentPagePolicy(): Promise<string> {
  const digest = toBase64(await sha256(utf8(STYLE)));
  return `default-src 'none'; style-src 'sha256-${digest}'; connect-src 'self'; img-src https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
}

const a = (url: string, text: string) => `<a href="${htmlText(url)}">${text}</a>`;

/** Owners' words keep to themselves: their direction does not reach the text around them. */
const own = (text: string) => `<bdi>${htmlText(text)}</bdi>`;

/** Words of strangers with the owner's answers. */
function answerList(answers: readonly PublishedAnswer[]): string {
  if (answers.length === 0) return "";
  const items = answers.map(
    ({ question, answer }) => `<dt>${own(question)}</dt>\n<dd>${own(answer)}</dd>`,
  );
  return `\n<h4>Questions from agents</h4>\n<dl>\n${items.join("\n")}\n</dl>`;
}

function skillItem(skill: LiveSkill, answers: readonly PublishedAnswer[]): string {
  const { id, title, description, url, requiresMandate } = skill;
  const heading = url === undefined ? own(title) : a(url, own(title));
  const mandate = requiresMandate ? " &middot; needs a signed mandate" : "";
  return `<li><h3>${heading}</h3>
<p>${own(description)}</p>
<p class="id"><code>${htmlText(id)}</code>${mandate}</p>${answerList(answersOf(answers, skill))}</li>`;
}

function skillSection({ skills }: SiteSnapshot, answers: readonly PublishedAnswer[]): string {
  if (skills.length === 0) return "<p>No skills are available at the moment.</p>";
  const items = skills.map((skill) => skillItem(skill, answers));
  return `<ul class="skills" role="list">\n${items.join("\n")}\n</ul>`;
}

function picture(url: string | null | undefined): string {
  if (!url?.startsWith("https:")) return "";
  return `<img src="${htmlText(url)}" alt="" width="56" height="56" loading="lazy" referrerpolicy="no-referrer">`;
}

function productRow({ id, title, price, url, imageUrl }: OfferedProduct): string {
  const buy = url === null ? "" : a(url, "Buy here");
  const cells = [`<td>${htmlText(priceText(price))}</td>`, `<td>${buy}</td>`];
  return `<tr><th scope="row">${picture(imageUrl)}${own(title)}<br><code>${htmlText(id)}</code></th>${cells.join("")}</tr>`;
}

/** Some products, with the ids that tools take, and where a person buys them. */
function productSection(products: readonly OfferedProduct[]): string {
  if (products.length === 0) return "";
  const heads = ["Product", "Price", "In the shop"].map((name) => `<th scope="col">${name}</th>`);
  return `<h2 id="products">What you can buy</h2>
<table aria-labelledby="products">
<thead><tr>${heads.join("")}</tr></thead>
<tbody>
${products.map(productRow).join("\n")}
</tbody>
</table>
`;
}

function protocolRows(site: SiteSnapshot): string {
  return siteProtocols(site)
    .map(({ protocol, url }) => {
      const version =
        protocol.version === undefined ? "" : ` <span>${htmlText(protocol.version)}</span>`;
      const name = `${a(url, htmlText(protocol.name))}${version}`;
      return `<tr><th scope="row">${name}</th><td>${htmlText(statusText(protocol))}</td><td>${htmlText(protocol.scope)}</td></tr>`;
    })
    .join("\n");
}

function protocolTable(site: SiteSnapshot): string {
  const heads = ["Protocol", "Status", "Scope"].map((name) => `<th scope="col">${name}</th>`);
  return `<table aria-labelledby="protocols">
<thead><tr>${heads.join("")}</tr></thead>
<tbody>
${protocolRows(site)}
</tbody>
</table>`;
}

function badge({ verified }: SiteSnapshot): string {
  return verified
    ? '<span class="badge">&#10003; domain verified</span>'
    : '<span class="badge">preview, not verified</span>';
}

function verifySection(site: SiteSnapshot): string {
  const { before, steps, after } = verifySteps(site);
  const items = steps.map((step) => `<li>${inlineHtml(step)}</li>`).join("\n");
  return `<p>${inlineHtml(before)}</p>\n<ol>\n${items}\n</ol>\n<p>${inlineHtml(after)}</p>`;
}

/** What search engines look for: who publishes this, on which site, through which interface. */
function graph(site: SiteSnapshot): string {
  const { name, domain, summary, addresses } = site;
  const home = `${siteOrigin(domain)}/`;
  const publisher = { "@id": `${home}#organization` };
  return JSON.stringify({
    "@context": "https://schema.org",
    "@graph": [
      { "@type": "Organization", ...publisher, name, url: home },
      { "@type": "WebSite", "@id": `${home}#website`, name, url: home, publisher },
      {
        "@type": "WebAPI",
        "@id": `${addresses.agentPage}#api`,
        name,
        description: summary,
        documentation: addresses.verifyGuide,
        url: addresses.agentPage,
        provider: publisher,
      },
    ],
  });
}

function head(site: SiteSnapshot): string {
  const links = pageLinks(site).map((link) => {
    const attributes = Object.entries(link).map(([name, text]) => `${name}="${htmlText(text)}"`);
    return `<link ${attributes.join(" ")}>`;
  });
  return `<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${htmlText(site.name)} for AI agents</title>
<meta name="description" content="${htmlText(site.summary)}">
${links.join("\n")}
<style>${STYLE}</style>`;
}

/** What the page shows besides the site: each list may be empty. */
export interface PageExtras {
  readonly products?: readonly OfferedProduct[];
  readonly answers?: readonly PublishedAnswer[];
}

/**
 * The agent page of a site: what it offers to agents, how to verify it, each skill with its link.
 * `card` is the signed card's text, which the page carries unchanged as JSON-LD.
 *
 * @example
 * agentPage(EXAMPLE_SITE, "{}").includes("<h1><bdi>Fern &amp; Petal</bdi> for AI agents</h1>"); //=> true
 */
export function agentPage(
  site: SiteSnapshot,
  card: string,
  { products = [], answers = [] }: PageExtras = {},
): string {
  const { domain, summary, name, changedAt } = site;
  return `<!doctype html>
<html lang="en">
<head>
${head(site)}
<script type="application/ld+json" id="agent-card">${scriptJson(card)}</script>
<script type="application/ld+json" id="graph">${scriptJson(graph(site))}</script>
</head>
<body>
<main>
<p class="domain">${a(`${siteOrigin(domain)}/`, htmlText(domain))} ${badge(site)}</p>
<h1>${own(name)} for AI agents</h1>
<p class="lead">${own(summary)}</p>
<p>${htmlText(opening(site))}</p>
<h2 id="skills">What agents can do here</h2>
${skillSection(site, answers)}
${productSection(products)}<h2 id="developers">For developers</h2>
<h3 id="call">How to call it</h3>
${callSteps(site)
  .map((step) => `<p>${inlineHtml(step)}</p>`)
  .join("\n")}
<h3 id="verify">How to verify it</h3>
${verifySection(site)}
<h3 id="protocols">Supported protocols</h3>
${protocolTable(site)}
</main>
<footer>Last changed by its owner on <time datetime="${htmlText(changedAt)}">${htmlText(changedAt.slice(0, 10))}</time>. Published by Gatehouse.</footer>
</body>
</html>
`;
}
