import type { SiteSnapshot } from "../snapshot.js";
import { markdownText, markdownUrl } from "../text.js";
import { siteProtocols, statusText } from "./protocols.js";

function skillLines({ skills }: SiteSnapshot): string[] {
  if (skills.length === 0) return ["No skill is live at the moment."];
  return skills.map(({ id, title, description, url, requiresMandate }) => {
    const name = markdownText(title);
    const heading = url === undefined ? name : `[${name}](${markdownUrl(url)})`;
    const mandate = requiresMandate ? "; needs a signed mandate" : "";
    return `- ${heading} (\`${id}\`${mandate}): ${markdownText(description)}`;
  });
}

/**
 * The agent page as Markdown, for whoever asks for `text/markdown`.
 *
 * @example
 * agentMarkdown(EXAMPLE_SITE).split("\n")[0]; //=> "# Fern & Petal for AI agents"
 */
export function agentMarkdown(site: SiteSnapshot): string {
  const { addresses, name, domain, summary } = site;
  return [
    `# ${markdownText(name)} for AI agents`,
    "",
    `> ${markdownText(summary)}`,
    "",
    `The website is https://${domain}; its domain is verified. See also the [llms.txt](${addresses.llms}).`,
    "",
    "## What agents can do here",
    "",
    ...skillLines(site),
    "",
    "## How to verify it",
    "",
    `1. Fetch the [agent card](${addresses.card}) and the [key set](${addresses.keySet}).`,
    "2. Pick the key whose `kid` is the card's `signing.signing_key_id`.",
    "3. Remove `signing.envelope_signature`, canonicalize the rest (RFC 8785), verify the Ed25519 signature.",
    "4. Check that `signing.expires_at` has not passed.",
    "",
    `[The whole recipe](${addresses.verifyGuide}), with short programs.`,
    "",
    "## What it speaks",
    "",
    "| Protocol | Status | Scope |",
    "|---|---|---|",
    ...siteProtocols(site).map(
      ({ protocol, url }) =>
        `| [${protocol.name}](${url}) ${protocol.version ?? ""} | ${statusText(protocol)} | ${protocol.scope} |`,
    ),
    "",
  ].join("\n");
}
