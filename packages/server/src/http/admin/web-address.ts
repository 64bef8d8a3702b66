import { parseUrl, strictHref } from "@gatehouse/protocol";
import { z } from "@hono/zod-openapi";

const CHARS_MAX = 2048;

/** An address of the web, in one spelling. Also of what is none something is made: it is refused then. */
export const webAddress = (protocol: RegExp) =>
  z
    .url({ protocol })
    .max(CHARS_MAX)
    .overwrite((text) => {
      const url = parseUrl(text);
      return url === undefined ? text : strictHref(url);
    });
