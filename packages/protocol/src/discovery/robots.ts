import type { SiteSnapshot } from "./snapshot.js";

/**
 * Lines for the owner to paste into robots.txt, and to change at will: what may be done with the
 * site's texts (contentsignals.org), and where agents find the catalog (ARD).
 *
 * @example
 * robotsBlock(EXAMPLE_SITE).includes("Agentmap: https://gate.example.com/v1/catalog/"); //=> true
 */
export function robotsBlock({ addresses, domain }: SiteSnapshot): string {
  return [
    `# For AI agents: what ${domain} offers them.`,
    "User-agent: *",
    "Content-Signal: search=yes, ai-input=yes, ai-train=no",
    "",
    `Agentmap: ${addresses.ard}`,
    "",
  ].join("\n");
}
