import { siteOrigin } from "../url.js";
import type { PublishedAnswer } from "./published-answer.js";
import { FEED_WORDS } from "./published-feed.js";
import type { SiteSnapshot } from "./snapshot.js";
import { markdownText, markdownUrl } from "./text.js";

/** `note` is Markdown: owners' words are escaped before, and a URL in it stays as it is. */
function link(title: string, url: string, note: string): string {
  return `- [${markdownText(title)}](${markdownUrl(url)}): ${note}`;
}

function section(title: string, links: readonly string[]): string[] {
  return links.length === 0 ? [] : ["", `## ${title}`, "", ...links];
}

/** Skills without a page of their own are tools of the MCP server, which its card describes. */
function skillLinks({ skills, addresses }: SiteSnapshot): string[] {
  return skills.map(({ id, title, description, url, requiresMandate }) => {
    const mandate = requiresMandate ? ", with a signed mandate" : "";
    const line = link(title, url ?? addresses.mcpServerCard, markdownText(description));
    return `${line} (MCP tool \`${id}\`${mandate})`;
  });
}

/** Each question links to the page of its skill, because sections hold links only. */
function answerLinks({ skills }: SiteSnapshot, answers: readonly PublishedAnswer[]): string[] {
  const pages = new Map(skills.map(({ id, url }) => [id, url]));
  return answers.flatMap(({ skill, question, answer }) => {
    const url = pages.get(skill);
    return url === undefined ? [] : [link(question, url, markdownText(answer))];
  });
}

function interfaceLinks({ addresses, sells, feeds }: SiteSnapshot): string[] {
  const { registrationGuide, mandateGuide } = addresses;
  const shop = link("UCP profile", addresses.ucpProfile, "catalog, carts and checkout through UCP");
  return [
    link("Agent page", addresses.agentPage, "the same information for people; also as Markdown"),
    link("Agent card", addresses.card, "signed A2A card: skills, endpoints, expiry"),
    link("Catalog", addresses.catalog, "signed ARD catalog of everything published for agents"),
    link("MCP server card", addresses.mcpServerCard, `how to connect to ${addresses.mcp}`),
    link("Register an agent", registrationGuide, `send a public key to ${addresses.registration}`),
    link("Mandates", mandateGuide, `send signed mandates to ${addresses.mandate}`),
    ...(sells ? [shop] : []),
    ...feeds.map((name) =>
      link(FEED_WORDS[name].title, addresses[`${name}Feed`], FEED_WORDS[name].note),
    ),
    link("Key set", addresses.keySet, "public keys that verify card and catalog"),
    link("How to verify", addresses.verifyGuide, "instructions, with short programs"),
  ];
}

/**
 * The llms.txt of a site: H1, one-line summary, one paragraph, then sections of links only.
 *
 * @example
 * llmsTxt(EXAMPLE_SITE).split("\n")[0]; //=> "# Fern & Petal"
 */
export function llmsTxt(site: SiteSnapshot, answers: readonly PublishedAnswer[] = []): string {
  const { name, summary, domain, skills } = site;
  const count = ["no skill yet", "1 skill"][skills.length] ?? `${skills.length} skills`;
  const proof = site.verified
    ? "Its agent card and catalog are signed, and anybody can verify them with the key set below."
    : "This is a preview: the domain is not verified yet, and nothing is signed.";
  return [
    `# ${markdownText(name)}`,
    "",
    `> ${markdownText(summary)}`,
    "",
    `The website is ${siteOrigin(domain)}. It offers ${count} to AI agents. ${proof}`,
    ...section("Skills", skillLinks(site)),
    ...section("Questions and answers", answerLinks(site, answers)),
    ...section("Agent interfaces", interfaceLinks(site)),
    "",
  ].join("\n");
}
