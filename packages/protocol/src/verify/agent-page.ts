import { utf8 } from "../bytes.js";

const BLOCK = /<script type="application\/ld\+json" id="agent-card">([^<]*)<\/script>/g;

/**
 * The card an agent page carries, as bytes to verify; undefined unless there is exactly one.
 *
 * @example
 * cardInPage(utf8(agentPage(EXAMPLE_SITE, "{}"))).length; //=> 2
 * cardInPage(utf8("<p>no card here</p>")); //=> undefined
 */
export function cardInPage(html: Uint8Array): Uint8Array | undefined {
  const blocks = [...new TextDecoder().decode(html).matchAll(BLOCK)];
  const [block] = blocks;
  return blocks.length === 1 ? utf8(block?.[1] ?? "") : undefined;
}
