import type { SiteSnapshot } from "./snapshot.js";

/**
 * Lines for the owner to paste into robots.txt, and to change at will: what may be done with the
 * site's texts, in the words of contentsignals.org and of the IETF (AIPREF, draft-ietf-aipref-attach), and
 * where agents find the catalog (ARD).
 *
 * @example
 * robotsBlock(EXAMPLE_SITE).includes("Agentmap: https://gate.example.com/v1/catalog/"); //=> true
 */
export function robotsBlock({ addresses, domain }: SiteSnapshot): string {
  return [
    `# For AI agents: what ${domain} offers them.`,
    "User-agent: *",
    "Content-Signal: search=yes, ai-input=yes, ai-train=no",
    "Content-Usage: search=y, train-ai=n",
    "",
    `Agentmap: ${addresses.ard}`,
    "",
  ].join("\n");
}
