import { isJsonObject, type JsonObject, type JsonValue } from "@gatehouse/protocol";
import { type ListedProduct, PRODUCT_FIELDS, readProduct } from "../../domain/products/product.js";
import type { SyncPart } from "./full-list.js";

/** A message about products. */
export interface ProductsMessage {
  /** Null for a change. */
  readonly sync: SyncPart | null;
  readonly products: readonly JsonValue[];
  readonly removed: readonly Versioned[];
}

interface Versioned {
  readonly id: string;
  readonly version: number;
}

export interface ProductProblem {
  readonly id: string;
  readonly problem: string;
}

/** A product that is there, or null for one that is gone, with its version. */
export interface ProductChange {
  readonly productId: string;
  readonly version: number;
  readonly product: ListedProduct | null;
}

/** The fields of a product. Shop systems may send others that are not known here. */
function fieldsOf(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).filter(([name]) => PRODUCT_FIELDS.includes(name)),
  );
}

/** Reads every product by itself, so that one that is wrong does not keep out the others. */
export function readChanges({ products, removed }: ProductsMessage) {
  const changes = new Map<string, ProductChange>();
  const problems: ProductProblem[] = [];
  for (const value of products) {
    const { id, version } = isJsonObject(value) ? value : {};
    const named = { id: String(id ?? "") };
    if (!isJsonObject(value) || !Number.isSafeInteger(version) || (version as number) < 0) {
      problems.push({ ...named, problem: "version: must be a whole number" });
      continue;
    }
    const read = readProduct(fieldsOf(value));
    if (!read.ok) problems.push({ ...named, problem: read.detail });
    else {
      const { productId } = read.value;
      changes.set(productId, { productId, version: version as number, product: read.value });
    }
  }
  for (const { id, version } of removed) {
    const known = changes.get(id);
    if (known !== undefined && known.version > version) continue;
    changes.set(id, { productId: id, version, product: null });
  }
  return { changes: [...changes.values()], problems };
}
