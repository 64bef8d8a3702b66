import { siteOrigin } from "../url.js";
import { type OfferedProduct, productLines } from "./offered-product.js";
import type { SiteSnapshot } from "./snapshot.js";
import { markdownText } from "./text.js";

export type { OfferedProduct };

/** How to buy, from what every assistant can do to what only some can. */
function buying({ addresses, skills, sells }: SiteSnapshot): readonly string[] {
  if (!sells) return [];
  const canOrder = skills.some(({ id }) => id === "place_order");
  const ordering =
    `- **Pay by mandate.** Register a key once (\`POST ${addresses.registration}\`), then call \`place_order\` with a ` +
    `signed mandate. It takes no address: what must be sent is bought by UCP. [Guide](${addresses.mandateGuide})`;
  return [
    "",
    "## How to buy",
    "",
    "- **Let the person pay.** Call `create_cart`, and give the person the `continue_url` of the answer. There the " +
      "person enters an address and pays.",
    `- **Pay by UCP.** The [profile](${addresses.ucpProfile}) lists addresses, versions and payment handlers. [Guide](${addresses.ucpGuide})`,
    ...(canOrder ? [ordering] : []),
  ];
}

const RULES = [
  "- Use the prices, stock and delivery costs that the tools return. Do not guess them.",
  "- Before you buy, show the person the total with delivery and taxes, and ask for approval.",
  "- If a call is refused, the answer says why and what to do. Do not send the same call again unchanged.",
  "- If you get no answer, repeat the call with the same idempotency key or the same signed mandate. Nothing is paid twice.",
];

/**
 * The agents.md of a site: what an agent should know before it acts. `products` are some of what the site sells.
 *
 * @example
 * agentsMd(EXAMPLE_SITE, []).split("\n")[0]; //=> "# Fern & Petal: instructions for AI agents"
 */
export function agentsMd(site: SiteSnapshot, products: readonly OfferedProduct[]): string {
  const { name, summary, domain, addresses, skills, sells } = site;
  const find = sells
    ? "`search_catalog` finds products. `get_product` and `lookup_catalog` show them. These tools and the cart tools need no account and no profile."
    : "Its tools have the names below.";
  const tools = skills.map(({ id, description }) => `- \`${id}\`: ${markdownText(description)}`);
  return [
    `# ${markdownText(name)}: instructions for AI agents`,
    "",
    `> ${markdownText(summary)}`,
    "",
    `The website is ${siteOrigin(domain)}. Everything here is for software that acts for a person.`,
    "",
    "## How to call it",
    "",
    `MCP server: \`${addresses.mcp}\` (Streamable HTTP, no account). ${find}`,
    ...buying(site),
    ...(products.length === 0 ? [] : ["", "## Some products", "", ...productLines(products)]),
    "",
    "## Rules",
    "",
    ...RULES,
    ...(tools.length === 0 ? [] : ["", "## Tools", "", ...tools]),
    "",
    "## Verify it",
    "",
    `The [agent card](${addresses.card}) is signed by a key of the [key set](${addresses.keySet}). [How to verify](${addresses.verifyGuide})`,
    "",
  ].join("\n");
}
