import { parseUrl, strictHref } from "@gatehouse/protocol";
import { z } from "@hono/zod-openapi";

const URL_CHARS_MAX = 2048;

/**
 * Characters that hide, reorder or smuggle text: controls, bidi overrides, zero-width and tag characters,
 * supplementary variation selectors, blank letters. Joiners and direction marks are allowed, because
 * Persian, Hindi, Arabic and many emoji need them.
 */
const HIDDEN =
  /(?![\u200c-\u200f\u061c])[\p{Cc}\p{Cf}]|[\u{e0100}-\u{e01ef}\u115f\u1160\u2800\u3164\uffa0]/gu;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Turns pasted text into one line of visible text. */
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
        .refine((text) => VISIBLE.test(text), "must contain visible text"),
    )
    .openapi({ type: "string", minLength: 1, maxLength: charsMax });

/** Text that a list is searched for. No database stores NUL, and PostgreSQL does not look for it either. */
export const searchText = (charsMax: number) =>
  z
    .string()
    .max(charsMax)
    .refine((text) => !text.includes("\0"), "must not contain NUL");

/** An address of the web, in its normal form. Text that is not an address stays and is refused. */
export const webAddress = (protocol: RegExp) =>
  z
    .url({ protocol })
    .max(URL_CHARS_MAX)
    .overwrite((text) => {
      const url = parseUrl(text);
      return url === undefined ? text : strictHref(url);
    });
