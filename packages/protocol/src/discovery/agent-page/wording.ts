import type { SiteSnapshot } from "../snapshot.js";
import { htmlText } from "../text.js";

/** What the page is, in a sentence for whoever comes upon it. */
export function opening({ verified, vouched }: SiteSnapshot): string {
  if (!verified) {
    return "Preview: the domain is not verified yet. Nothing is signed, and only the owner can see this page.";
  }
  const proof = vouched
    ? "The operator of this service confirmed the domain without a check."
    : "Gatehouse has verified that the owner of this site controls the domain.";
  return `This page says what AI assistants, and the people who use them, can do here. ${proof}`;
}

/** How to verify a site, in Markdown; HTML is made from it, so that both say the same. */
export function verifySteps({ addresses }: SiteSnapshot) {
  return {
    before:
      "You need an RFC 8785 canonicalizer and an Ed25519 library, but no account and none of our software.",
    steps: [
      `Fetch the [agent card](${addresses.card}). The same card is in the HTML form of this page, as JSON-LD.`,
      `Fetch the [key set](${addresses.keySet}) and pick the key whose \`kid\` is the card’s \`signing.signing_key_id\`.`,
      "Remove `signing.envelope_signature`, canonicalize the rest, and verify that signature over it.",
      "Check that `signing.expires_at` has not passed.",
    ],
    after: `[All steps](${addresses.verifyGuide}), with short programs in TypeScript, Python and shell.`,
  };
}

/** How to call a site, in Markdown, one paragraph each. Addresses stand in the text, because readers copy them. */
export function callSteps({ addresses, skills, sells }: SiteSnapshot): readonly string[] {
  const { mcp, registration, registrationGuide, mandate, mandateGuide, ucpProfile } = addresses;
  const signed =
    `Skills that need a signed mandate: [register a key](${registrationGuide}) with \`POST ${registration}\`, ` +
    `then [send the mandate](${mandateGuide}) to \`${mandate}\` or to the tool of the same name.`;
  return [
    `MCP: \`${mcp}\` (Streamable HTTP, no account). Its tools have the names above.`,
    ...(skills.some(({ requiresMandate }) => requiresMandate) ? [signed] : []),
    ...(sells
      ? [`UCP: the [profile of the shop](${ucpProfile}) lists the addresses to call.`]
      : []),
  ];
}

/** HTML of a line of our own Markdown: links and code, nothing else. No owner's word comes here. */
export function inlineHtml(markdown: string): string {
  return htmlText(markdown)
    .replace(/\[([^\]]+)\]\(([^)]+)\)/g, '<a href="$2">$1</a>')
    .replace(/`([^`]+)`/g, "<code>$1</code>");
}
