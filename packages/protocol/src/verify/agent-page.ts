import { utf8 } from "../bytes.js";

const BLOCK = /<script type="application\/ld\+json" id="agent-card">([^<]*)<\/script>/g;
/** What could make a browser find another card than the one above, or not find it; our pages have none. */
const MARKS =
  /<!--|<template|<\w[^>]*\sid\s*=\s*["']?\s*[a&]|<script(?! type="application\/ld\+json" id="graph">)/i;

/**
 * The card an agent page carries, as bytes to verify; undefined unless there is exactly one, where
 * every reader of the page finds it.
 *
 * @example
 * cardInPage(utf8(agentPage(EXAMPLE_SITE, "{}"))).length; //=> 2
 * cardInPage(utf8("<p>no card here</p>")); //=> undefined
 */
export function cardInPage(html: Uint8Array): Uint8Array | undefined {
  const text = new TextDecoder().decode(html);
  const [block, ...more] = text.matchAll(BLOCK);
  if (block === undefined || more.length > 0) return undefined;
  const around = text.replace(block[0], "");
  return MARKS.test(around) ? undefined : utf8(block[1] ?? "");
}
