/**
 * Characters that hide, reorder or smuggle text: controls, bidi overrides, zero-width and tag characters,
 * supplementary variation selectors, blank letters. Joiners and direction marks are allowed, because
 * Persian, Hindi, Arabic and many emoji need them.
 */
const HIDDEN =
  /(?![\u200c-\u200f\u061c])[\p{Cc}\p{Cf}\p{Cs}]|[\u{e0100}-\u{e01ef}\u115f\u1160\u2800\u3164\uffa0]/gu;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Turns any text into one line of visible text. */
export function oneLine(text: string): string {
  return text.replace(/\s/g, " ").replace(HIDDEN, "").replace(/ +/g, " ").trim();
}

export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}
