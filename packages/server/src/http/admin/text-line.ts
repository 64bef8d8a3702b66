import { z } from "@hono/zod-openapi";

/**
 * What hides, reorders or smuggles text: controls, bidi overrides, zero-width and tag characters,
 * supplementary variation selectors, blank letters. Joiners and direction marks stay: Persian,
 * Hindi, Arabic and many emoji need them.
 */
const HIDDEN =
  /(?![\u200c-\u200f\u061c])[\p{Cc}\p{Cf}]|[\u{e0100}-\u{e01ef}\u115f\u1160\u2800\u3164\uffa0]/gu;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** One line of visible text, whatever was pasted. */
function oneLine(text: string): string {
  return text.replace(/\s/g, " ").replace(HIDDEN, "").replace(/ +/g, " ").trim();
}

/** Text that people read on one line: breaks become spaces, hidden characters are dropped. */
export const line = (charsMax: number) =>
  z
    .string()
    .transform(oneLine)
    .pipe(
      z
        .string()
        .min(1)
        .max(charsMax, `must have at most ${charsMax} characters`)
        .refine((text) => VISIBLE.test(text), "must hold visible text"),
    )
    .openapi({ type: "string", minLength: 1, maxLength: charsMax });
