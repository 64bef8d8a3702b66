import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context as HonoContext } from "hono";
import { setProductPicture, setSitePicture } from "../../actions/pictures/set-picture.js";
import type { Context } from "../../context.js";
import { PICTURE_TYPES } from "../../domain/products/pictures/cleaned.js";
import { PICTURE_BYTES_MAX, PICTURE_PIXELS_MAX } from "../../domain/products/pictures/picture.js";
import { noRoom } from "../server/body.js";
import { Problem } from "../server/problem.js";
import { requireOk } from "../server/require-ok.js";
import { errors, json } from "../server/schemas.js";
import { wholeUpload } from "../server/streaming.js";
import { type AdminEnv, actorOf, requireSite, requireStill } from "./access.js";
import { SITE_PATH } from "./describe.js";
import { ProductBody, ProductId, renderProduct } from "./products.js";
import { SiteParams } from "./schemas.js";
import { renderSite, SiteBody } from "./site-body.js";

const MIB = 1024 * 1024;
const File = z.string().openapi({ format: "binary" });

const BODY = {
  required: true,
  content: Object.fromEntries(PICTURE_TYPES.map((type) => [type, { schema: File }])),
};
const ERRORS = errors(
  "invalid_request",
  "forbidden",
  "not_found",
  "conflict",
  "body_too_large",
  "unsupported_media_type",
);
const DESCRIPTION =
  `A JPEG, PNG or WebP file of up to ${PICTURE_BYTES_MAX / MIB} MB and ${PICTURE_PIXELS_MAX / 1_000_000} megapixels. Gatehouse detects the format from ` +
  "the content of the file. It removes metadata, such as the place where a photo was taken. ";

const ofProduct = createRoute({
  method: "put",
  path: `${SITE_PATH}/products/picture`,
  tags: ["Selling"],
  summary: "Upload the picture of a product",
  description: `${DESCRIPTION}\`image_url\` of the product becomes the public address of the picture. The id is in the query, because it can contain characters that a path cannot.`,
  request: { params: SiteParams, query: z.object({ id: ProductId }), body: BODY },
  responses: { 200: json(ProductBody, "The product."), ...ERRORS },
});

const ofShop = createRoute({
  method: "put",
  path: `${SITE_PATH}/picture`,
  tags: ["Sites"],
  summary: "Upload the picture of the shop",
  description: `${DESCRIPTION}The public page of the shop shows it, and \`picture_url\` is its public address.`,
  request: { params: SiteParams, body: BODY },
  responses: { 200: json(SiteBody, "The site with its picture."), ...ERRORS },
});

/** The uploaded file. It is read only while there is room for it in memory. */
async function withUpload<Saved>(
  context: Context,
  c: HonoContext<AdminEnv>,
  siteKeyHash: string,
  save: (file: Uint8Array) => Promise<Saved>,
): Promise<Saved> {
  const { clock, pictureUploads } = context;
  const type = (c.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (!PICTURE_TYPES.some((one) => one === type)) {
    const message = `Send ${PICTURE_TYPES.join(", ")}.`;
    throw new Problem("unsupported_media_type", { message });
  }
  const tools = { bytesMax: PICTURE_BYTES_MAX, clock, check: requireStill(context, c, "owner") };
  const saved = await pictureUploads.run(siteKeyHash, async () =>
    save(await wholeUpload(c.req.raw, tools)),
  );
  if (saved === undefined) throw noRoom();
  return saved.result;
}

const pathOf = ({ path }: { readonly path: string }) =>
  path.replace("{site_key_hash}", ":site_key_hash");

/** The site in the path. Routes of files validate the path themselves. */
async function requireOwnSite(context: Context, c: HonoContext<AdminEnv>) {
  if (!SiteParams.safeParse(c.req.param()).success) throw new Problem("not_found");
  return requireSite(context, c, "owner");
}

/** Their bodies are files, so they are registered before the middleware that parses JSON. */
export function pictureUploadRoutes(app: OpenAPIHono<AdminEnv>, context: Context): void {
  app.openAPIRegistry.registerPath(ofProduct);
  app.put(pathOf(ofProduct), async (c) => {
    const { siteKeyHash } = await requireOwnSite(context, c);
    const query = ofProduct.request.query.safeParse(c.req.query());
    if (!query.success) throw new Problem("invalid_request", { message: "id: is missing." });
    const saved = await withUpload(context, c, siteKeyHash, (file) =>
      setProductPicture(context, siteKeyHash, { productId: query.data.id, file }, actorOf(c)),
    );
    return c.json(renderProduct(requireOk(saved)), 200);
  });

  app.openAPIRegistry.registerPath(ofShop);
  app.put(pathOf(ofShop), async (c) => {
    const { siteKeyHash } = await requireOwnSite(context, c);
    const saved = await withUpload(context, c, siteKeyHash, (file) =>
      setSitePicture(context, siteKeyHash, file, actorOf(c)),
    );
    return c.json(renderSite(requireOk(saved), context.config), 200);
  });
}
