import { utf8 } from "../bytes.js";

const HEAD = String.raw`<!doctype html>\n<html lang="en">\n<head>\n`;
/** Elements that can come before the card; none of them can hold it, and none may have its id. */
const BEFORE = String.raw`(?:<(?:meta|link) [^<>]*>\n|<title>[^<]*</title>\n|<style>[^<]*</style>\n)*`;
const CARD = String.raw`<script type="application/ld\+json" id="agent-card">([^<]*)</script>\n`;
const PAGE = new RegExp(`^${HEAD}(${BEFORE})${CARD}`);
const ANY_ID = /[\s"'/]id\s*=/i;

/**
 * The card an agent page carries, as bytes to verify; undefined unless the page begins as ours do,
 * so that this card is the first element of its id for every reader.
 *
 * @example
 * cardInPage(utf8(agentPage(EXAMPLE_SITE, "{}"))).length; //=> 2
 * cardInPage(utf8("<p>no card here</p>")); //=> undefined
 */
export function cardInPage(html: Uint8Array): Uint8Array | undefined {
  const [, before = "", card] = PAGE.exec(new TextDecoder().decode(html)) ?? [];
  return card === undefined || ANY_ID.test(before) ? undefined : utf8(card);
}
