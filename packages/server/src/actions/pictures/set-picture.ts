import { ok, pictureUrl, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import type { Actor } from "../../domain/audit/drafts.js";
import { productById } from "../../domain/products/store.js";
import type { Site } from "../../domain/sites/site.js";
import { type Changed, changeProduct } from "../products/change-product.js";
import { ownedByShop } from "../products/changing-products.js";
import { changeSite } from "../sites/change-site.js";
import { storeUpload } from "./uploaded-pictures.js";

/** Gives a product an uploaded picture. The service serves it, and the product names its address there. */
export async function setProductPicture(
  context: Context,
  siteKeyHash: string,
  { productId, file }: { readonly productId: string; readonly file: Uint8Array },
  actor: Actor,
): Promise<Changed> {
  const { config, db } = context;
  const owned = await ownedByShop(db, siteKeyHash);
  if (owned !== undefined) return owned;
  if ((await productById(db, siteKeyHash, productId)) === undefined) {
    return refuse("not_found", "The site has no such product.");
  }
  const stored = await storeUpload(context, siteKeyHash, file);
  if (!stored.ok) return stored;
  const image_url = pictureUrl(config.baseUrl, siteKeyHash, stored.value);
  return changeProduct(context, siteKeyHash, productId, { image_url }, actor);
}

/** Gives the shop an uploaded picture, or removes the one it has. Its public page shows it. */
export async function setSitePicture(
  context: Context,
  siteKeyHash: string,
  file: Uint8Array | null,
  actor: Actor,
): Promise<Result<Site, "invalid_request" | "not_found" | "conflict">> {
  const stored = file === null ? ok(null) : await storeUpload(context, siteKeyHash, file);
  if (!stored.ok) return stored;
  return changeSite(context, siteKeyHash, { picture: stored.value }, actor);
}
