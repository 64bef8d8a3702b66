import { toBase64 } from "../../base64.js";
import { sha256, utf8 } from "../../bytes.js";
import { markSvg } from "../../mark.js";
import { siteOrigin } from "../../url.js";
import type { OfferedProduct } from "../offered-product.js";
import { answersOf, type PublishedAnswer } from "../published-answer.js";
import { isShopSkill } from "../shop-skills.js";
import type { LiveSkill } from "../skills.js";
import type { SiteSnapshot } from "../snapshot.js";
import { htmlText, scriptJson } from "../text.js";
import { pageLinks } from "./links.js";
import { productCards } from "./product-cards.js";
import { productData } from "./product-data.js";
import { siteProtocols, statusText } from "./protocols.js";
import { STYLE } from "./style.js";
import { callSteps, inlineHtml, opening, verifySteps } from "./wording.js";

/**
 * The page's Content-Security-Policy: its one style sheet, pictures, and nothing else. The data
 * blocks are not scripts to a browser and need no exception. No script can run, so `connect-src` lets
 * nothing out: it is there for page checkers, which look for robots.txt and llms.txt from the page. Only pages of the
 * same origin may frame it, so that the console can show it to its owner.
 *
 * @example
 * (await agentPagePolicy()).startsWith("default-src 'none'; style-src 'sha256-"); //=> true
 */
export async function agentPagePolicy(): Promise<string> {
  const digest = toBase64(await sha256(utf8(STYLE)));
  return `default-src 'none'; style-src 'sha256-${digest}'; connect-src 'self'; img-src 'self' https:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`;
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

function skillList(skills: readonly LiveSkill[], answers: readonly PublishedAnswer[]): string {
  const items = skills.map((skill) => skillItem(skill, answers));
  return `<ul class="skills" role="list">\n${items.join("\n")}\n</ul>`;
}

/** What people would ask for. The operations of a shop are steps of a purchase: “Buy here” has them. */
function skillSection(
  { skills, sells }: SiteSnapshot,
  answers: readonly PublishedAnswer[],
): string {
  const own = skills.filter(({ id }) => !isShopSkill(id));
  if (own.length === 0 && sells) return "";
  const none = "<p>No skills are available at the moment.</p>";
  return `<h2 id="skills">What agents can do here</h2>
${own.length > 0 ? skillList(own, answers) : none}
`;
}

/** How somebody's agent buys, and the operations of MCP and UCP that it buys with, folded. */
function buySection(site: SiteSnapshot, answers: readonly PublishedAnswer[]): string {
  const operations = site.skills.filter(({ id }) => isShopSkill(id));
  if (!site.sells || operations.length === 0) return "";
  return `<h2 id="buy">Buy here</h2>
<p>Tell your agent to buy at <strong>${htmlText(site.domain)}</strong>. It can search the products, fill a cart and place orders for you.</p>
<details>
<summary>For agents: ${operations.length} operations (MCP and UCP)</summary>
${skillList(operations, answers)}
</details>
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

function badge({ verified, vouched }: SiteSnapshot): string {
  if (!verified) return '<span class="badge">preview, not verified</span>';
  return vouched
    ? '<span class="badge">domain confirmed by the operator</span>'
    : '<span class="badge">&#10003; domain verified</span>';
}

function verifySection(site: SiteSnapshot): string {
  const { before, steps, after } = verifySteps(site);
  const items = steps.map((step) => `<li>${inlineHtml(step)}</li>`).join("\n");
  return `<p>${inlineHtml(before)}</p>\n<ol>\n${items}\n</ol>\n<p>${inlineHtml(after)}</p>`;
}

/** The picture of the shop. The service itself serves it. */
function picture({ imageUrl, name }: SiteSnapshot): string {
  if (imageUrl === null) return "";
  return `<img class="shop" src="${htmlText(imageUrl)}" alt="${htmlText(name)}" referrerpolicy="no-referrer">\n`;
}

/** What search engines look for: who publishes this, on which site, through which interface, and what it sells. */
function graph(site: SiteSnapshot, products: readonly OfferedProduct[]): string {
  const { name, domain, summary, addresses, baseUrl, imageUrl } = site;
  const home = `${siteOrigin(domain)}/`;
  const publisher = { "@id": `${home}#organization` };
  const image = imageUrl === null ? {} : { image: imageUrl };
  return JSON.stringify({
    "@context": "https://schema.org",
    "@graph": [
      { "@type": "Organization", ...publisher, name, url: home, ...image },
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
      ...productData(products, {
        id: `${addresses.agentPage}#products`,
        seller: publisher,
        baseUrl,
      }),
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
 * The agent page of a site: what it sells, what agents can do, and for developers how to call and verify it.
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
<script type="application/ld+json" id="graph">${scriptJson(graph(site, products))}</script>
</head>
<body>
<main>
${picture(site)}<p class="domain">${a(`${siteOrigin(domain)}/`, htmlText(domain))} ${badge(site)}</p>
<h1>${own(name)} for AI agents</h1>
<p class="lead">${own(summary)}</p>
<p>${htmlText(opening(site))}</p>
${productCards(site.baseUrl, products)}${buySection(site, answers)}${skillSection(site, answers)}<h2 id="developers">For developers</h2>
<h3 id="call">How to call it</h3>
${callSteps(site)
  .map((step) => `<p>${inlineHtml(step)}</p>`)
  .join("\n")}
<h3 id="verify">How to verify it</h3>
${verifySection(site)}
<h3 id="protocols">Supported protocols</h3>
${protocolTable(site)}
</main>
<footer>Last changed by its owner on <time datetime="${htmlText(changedAt)}">${htmlText(changedAt.slice(0, 10))}</time>. Published by ${markSvg(16)} Gatehouse.</footer>
</body>
</html>
`;
}
