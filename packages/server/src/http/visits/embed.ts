import { existsSync, readFileSync } from "node:fs";
import { EMBED_FILE } from "../../infra/assets.js";
import { cacheableAnswer, etagOf } from "../server/etag.js";
import type { Handler } from "../server/exchange.js";
import { Problem } from "../server/problem.js";

const TYPE = "text/javascript; charset=utf-8";
/** Short, so that a corrected script reaches all sites within minutes. */
const CACHE = "public, max-age=300";

/** `GET /embed.js`: the script that a site's pages load. */
export function embedHandler(): Handler {
  const body = existsSync(EMBED_FILE) ? readFileSync(EMBED_FILE) : undefined;
  const etag = body === undefined ? "" : etagOf(body, TYPE);
  const headers = { "cache-control": CACHE, etag, "cross-origin-resource-policy": "cross-origin" };
  return (exchange) => {
    if (body === undefined) {
      throw new Problem("unavailable", { message: "embed.js is missing. Run `npm run build`." });
    }
    return cacheableAnswer(exchange, { body, type: TYPE, headers });
  };
}
