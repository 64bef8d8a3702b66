import { type JsonObject, ok, type Result, refuse } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { type Actor, actorDraft } from "../../domain/audit/drafts.js";
import { isPictureUrl } from "../../domain/products/pictures/picture.js";
import {
  type ListedProduct,
  listedFields,
  PRODUCTS_MAX,
  type Product,
  readProduct,
} from "../../domain/products/product.js";
import { countProducts, productById, setPaused } from "../../domain/products/store.js";
import { writeProducts } from "../../domain/products/written/store.js";
import type { Transaction } from "../../infra/db/database.js";
import { changingProducts, ownedByShop } from "./changing-products.js";

type Fault = "invalid_request" | "not_found" | "conflict";
export type Changed = Result<Product, Fault>;

interface Change {
  readonly siteKeyHash: string;
  readonly actor: Actor;
  readonly kind: "product_added" | "product_changed";
}

/** The address of an uploaded picture is the service's own, which is not https while somebody develops. */
function readWithPicture(
  { config }: Context,
  siteKeyHash: string,
  value: JsonObject,
): Result<ListedProduct, "invalid"> {
  const { image_url: imageUrl, ...rest } = value;
  if (!isPictureUrl(config.baseUrl, siteKeyHash, imageUrl)) return readProduct(value);
  const read = readProduct(rest);
  return read.ok ? ok({ ...read.value, imageUrl }) : read;
}

/** Writes one product in a separate commit. `judge` says what to write, or why nothing is. */
async function writeOne(
  context: Context,
  { siteKeyHash, actor, kind }: Change,
  judge: (tx: Transaction) => Promise<Result<{ value: JsonObject; paused: boolean }, Fault>>,
): Promise<Changed> {
  const { audit, clock, ids } = context;
  const importId = ids.id("imp");
  const { answer } = await audit.commit<Changed>(siteKeyHash, async (tx) => {
    const now = clock.now();
    const refused = (answer: Changed) => ({ records: [], answer });
    const judged = await judge(tx);
    if (!judged.ok) return refused(judged);
    const { value, paused } = judged.value;
    const read = readWithPicture(context, siteKeyHash, value);
    if (!read.ok) return refused(refuse("invalid_request", `${read.detail}.`));
    const { productId } = read.value;
    await changingProducts(tx, siteKeyHash, now, async () => {
      await writeProducts(tx, siteKeyHash, [read.value], { importId, now, updates: false });
      await setPaused(tx, siteKeyHash, read.value, paused);
    });
    const written = (await productById(tx, siteKeyHash, productId)) as Product;
    const change = { kind, product_id: productId, paused };
    return { records: [actorDraft("site.changed", actor, now, { change })], answer: ok(written) };
  });
  return answer;
}

/** Adds one product. */
export function addProduct(
  context: Context,
  siteKeyHash: string,
  { paused, ...value }: JsonObject & { readonly paused: boolean },
  actor: Actor,
): Promise<Changed> {
  return writeOne(context, { siteKeyHash, actor, kind: "product_added" }, async (tx) => {
    const owned = await ownedByShop(tx, siteKeyHash);
    if (owned !== undefined) return owned;
    const known = await productById(tx, siteKeyHash, String(value.id));
    if (known !== undefined) return refuse("conflict", "id: another product has this id.");
    if ((await countProducts(tx, siteKeyHash)) >= PRODUCTS_MAX) {
      return refuse("conflict", `A site can have at most ${PRODUCTS_MAX} products.`);
    }
    return ok({ value, paused });
  });
}

/** Changes fields of one product. The others stay as they are. */
export function changeProduct(
  context: Context,
  siteKeyHash: string,
  productId: string,
  { paused, ...fields }: JsonObject & { readonly paused?: boolean | undefined },
  actor: Actor,
): Promise<Changed> {
  return writeOne(context, { siteKeyHash, actor, kind: "product_changed" }, async (tx) => {
    const isOnlyPaused = Object.keys(fields).length === 0;
    const owned = isOnlyPaused ? undefined : await ownedByShop(tx, siteKeyHash);
    if (owned !== undefined) return owned;
    const product = await productById(tx, siteKeyHash, productId);
    if (product === undefined) return refuse("not_found", "The site has no such product.");
    // In the words of a list, so that a change is read as strictly as an import.
    const value = { ...listedFields(product), ...fields, id: productId };
    return ok({ value, paused: paused ?? product.paused });
  });
}
