import type { SiteSnapshot } from "./snapshot.js";

/**
 * Lines for the owner to paste into robots.txt: what answers may use (contentsignals.org), and
 * where agents find the catalog (ARD). Nothing is forbidden here: that stays the owner's choice.
 *
 * @example
 * robotsBlock(EXAMPLE_SITE).includes("Agentmap: https://gate.example.com/v1/catalog/"); //=> true
 */
export function robotsBlock({ addresses, domain }: SiteSnapshot): string {
  return [
    `# For AI agents: what ${domain} offers them, signed.`,
    "User-agent: *",
    "Content-Signal: search=yes, ai-input=yes, ai-train=no",
    "Allow: /",
    "",
    `Agentmap: ${addresses.ard}`,
    "",
  ].join("\n");
}
