import { createRoute, z } from "@hono/zod-openapi";
import { readPicture } from "../../actions/products/read-picture.js";
import type { Context } from "../../context.js";
import { PICTURE_TYPES } from "../../domain/products/pictures/cleaned.js";
import { DIGEST, PICTURE_ROUTE } from "../../domain/products/pictures/picture.js";
import { isFresh } from "../server/etag.js";
import { describedRoutes, type HonoGroup, type HttpEnv } from "../server/hono-group.js";
import { Problem } from "../server/problem.js";
import { SiteKeyHash } from "../server/schemas.js";
import { streamOfBytes } from "../server/streaming.js";

/** The address names the content, so a copy never gets old. */
const CACHE_CONTROL = "public, max-age=31536000, immutable";
/** Nothing in the file runs, wherever it is opened. Other sites may show it. */
const HEADERS = {
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
};

const show = createRoute({
  method: "get",
  path: PICTURE_ROUTE,
  tags: ["Discovery"],
  summary: "An uploaded picture of a product or a shop",
  description:
    "The last part of the path is the SHA-256 of the bytes in base64url. A picture that is no longer in use is deleted.",
  security: [],
  request: {
    params: z.object({ site_key_hash: SiteKeyHash, picture: z.string().regex(DIGEST) }),
  },
  responses: {
    200: {
      description: "The picture.",
      content: Object.fromEntries(
        PICTURE_TYPES.map((type) => [type, { schema: z.string().openapi({ format: "binary" }) }]),
      ),
    },
    304: { description: "The reader has this picture, by the ETag in If-None-Match." },
    404: { description: "There is no such picture." },
  },
});

/** Pictures that owners uploaded. */
export function pictureRoutes(context: Context): HonoGroup {
  const routes = describedRoutes<HttpEnv>();
  routes.openapi(show, async (c) => {
    const { site_key_hash, picture: digest } = c.req.valid("param");
    const picture = await readPicture(context, site_key_hash, digest);
    if (picture === undefined) throw new Problem("not_found");
    const etag = `"${digest}"`;
    const headers = { ...HEADERS, etag, "cache-control": CACHE_CONTROL };
    if (isFresh(c.req.header("if-none-match"), etag)) return c.body(null, 304, headers);
    const { type, size } = picture;
    const described = { ...headers, "content-type": type, "content-length": String(size) };
    return c.body(streamOfBytes(picture.parts()), 200, described);
  });
  return { name: "pictures", cors: "open", routes };
}
