import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { setPicture } from "../../actions/products/set-picture.js";
import type { Context } from "../../context.js";
import { PICTURE_TYPES } from "../../domain/products/pictures/cleaned.js";
import { PICTURE_BYTES_MAX, PICTURE_PIXELS_MAX } from "../../domain/products/pictures/picture.js";
import { noRoom } from "../server/body.js";
import { Problem } from "../server/problem.js";
import { requireOk } from "../server/require-ok.js";
import { errors, json } from "../server/schemas.js";
import { wholeUpload } from "../server/streaming.js";
import { type AdminEnv, actorOf, requireSite } from "./access.js";
import { SITE_PATH } from "./describe.js";
import { ProductBody, ProductId, renderProduct } from "./products.js";
import { SiteParams } from "./schemas.js";

const MIB = 1024 * 1024;
const File = z.string().openapi({ format: "binary" });

const route = createRoute({
  method: "put",
  path: `${SITE_PATH}/products/picture`,
  tags: ["Selling"],
  summary: "Upload the picture of a product",
  description:
    `A JPEG, PNG or WebP file of up to ${PICTURE_BYTES_MAX / MIB} MB and ${PICTURE_PIXELS_MAX / 1_000_000} megapixels. Its bytes decide what it is, ` +
    "not its content type. What does not draw the picture is removed, such as the place where a photo was taken. " +
    "`image_url` of the product becomes the public address of the picture. The id is in the query, because it can " +
    "contain characters that a path cannot.",
  request: {
    params: SiteParams,
    query: z.object({ id: ProductId }),
    body: {
      required: true,
      content: Object.fromEntries(PICTURE_TYPES.map((type) => [type, { schema: File }])),
    },
  },
  responses: {
    200: json(ProductBody, "The product."),
    ...errors(
      "invalid_request",
      "forbidden",
      "not_found",
      "conflict",
      "body_too_large",
      "unsupported_media_type",
    ),
  },
});

/** Its body is a file, so it is registered before the middleware that parses JSON. */
export function productPictureRoute(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openAPIRegistry.registerPath(route);
  app.put(route.path.replace("{site_key_hash}", ":site_key_hash"), async (c) => {
    if (!route.request.params.safeParse(c.req.param()).success) throw new Problem("not_found");
    const { siteKeyHash } = await requireSite(context, c, "owner");
    const query = route.request.query.safeParse(c.req.query());
    if (!query.success) throw new Problem("invalid_request", { message: "id: is missing." });
    const type = (c.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
    if (!PICTURE_TYPES.some((one) => one === type)) {
      const message = `Send ${PICTURE_TYPES.join(", ")}.`;
      throw new Problem("unsupported_media_type", { message });
    }
    const saved = await context.pictureUploads.run(siteKeyHash, async () => {
      const file = await wholeUpload(c.req.raw, PICTURE_BYTES_MAX, context.clock);
      const target = { productId: query.data.id, file };
      return setPicture(context, siteKeyHash, target, actorOf(c));
    });
    if (saved === undefined) throw noRoom();
    return c.json(renderProduct(requireOk(saved.result)), 200);
  });
}
