import { parseUrl, strictHref } from "@gatehouse/protocol";
import { z } from "@hono/zod-openapi";
import { isMailAddress } from "../../infra/mail/text.js";
import { isVisible, oneLine } from "../../infra/one-line.js";

const URL_CHARS_MAX = 2048;
const EMAIL_CHARS_MAX = 254;

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
        .refine(isVisible, "must contain visible text"),
    )
    .openapi({ type: "string", minLength: 1, maxLength: charsMax });

/** The same, or null. The type of `line` in the OpenAPI document has no null. */
export const lineOrNull = (charsMax: number) =>
  line(charsMax)
    .nullable()
    .openapi({ type: ["string", "null"], minLength: 1, maxLength: charsMax });

/** The mail address of a person. */
export const mailAddress = z
  .string()
  .max(EMAIL_CHARS_MAX)
  .refine(isMailAddress, "must be an address such as ann@example.com");

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
