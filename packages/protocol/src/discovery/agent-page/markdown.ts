import { siteOrigin } from "../../url.js";
import { productLines } from "../offered-product.js";
import { answerLines, answersOf, type PublishedAnswer } from "../published-answer.js";
import type { SiteSnapshot } from "../snapshot.js";
import { markdownText, markdownUrl } from "../text.js";
import type { PageExtras } from "./html.js";
import { siteProtocols, statusText } from "./protocols.js";
import { callSteps, opening, verifySteps } from "./wording.js";

function skillLines({ skills }: SiteSnapshot, answers: readonly PublishedAnswer[]): string[] {
  if (skills.length === 0) return ["No skills are available at the moment."];
  return skills.flatMap((skill) => {
    const { id, title, description, url, requiresMandate } = skill;
    const name = markdownText(title);
    const heading = url === undefined ? name : `[${name}](${markdownUrl(url)})`;
    const mandate = requiresMandate ? "; needs a signed mandate" : "";
    const line = `- ${heading} (\`${id}\`${mandate}): ${markdownText(description)}`;
    return [line, ...answerLines(answersOf(answers, skill))];
  });
}

/**
 * The agent page as Markdown, for whoever asks for `text/markdown`.
 *
 * @example
 * agentMarkdown(EXAMPLE_SITE).split("\n")[0]; //=> "# Fern & Petal for AI agents"
 */
export function agentMarkdown(
  site: SiteSnapshot,
  { products = [], answers = [] }: PageExtras = {},
): string {
  const { addresses, name, domain, summary, changedAt } = site;
  const { before, steps, after } = verifySteps(site);
  return [
    `# ${markdownText(name)} for AI agents`,
    "",
    `> ${markdownText(summary)}`,
    "",
    opening(site),
    "",
    `The website is ${siteOrigin(domain)}. See also the [llms.txt](${addresses.llms}).`,
    "",
    ...(products.length === 0 ? [] : ["## What you can buy", "", ...productLines(products), ""]),
    "## What agents can do here",
    "",
    ...skillLines(site, answers),
    "",
    "## For developers",
    "",
    "### How to call it",
    "",
    ...callSteps(site).flatMap((step) => [step, ""]),
    "### How to verify it",
    "",
    before,
    "",
    ...steps.map((step, i) => `${i + 1}. ${step}`),
    "",
    after,
    "",
    "### Supported protocols",
    "",
    "| Protocol | Status | Scope |",
    "|---|---|---|",
    ...siteProtocols(site).map(
      ({ protocol, url }) =>
        `| ${[`[${protocol.name}](${url})`, protocol.version].join(" ").trim()} | ${statusText(protocol)} | ${protocol.scope} |`,
    ),
    "",
    `Last changed by its owner on ${changedAt.slice(0, 10)}. Published by Gatehouse.`,
    "",
  ].join("\n");
}
