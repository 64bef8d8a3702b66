import { isJsonObject, type JsonObject, type JsonValue } from "@gatehouse/protocol";
import { type ListedProduct, PRODUCT_FIELDS, readProduct } from "../../domain/products/product.js";
import { DAY_MS } from "../../infra/time.js";
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

/** A clock that is further ahead is wrong. Its versions would keep out all later changes. */
const AHEAD_MS_MAX = DAY_MS;

/** Why a version cannot be used; undefined if it can. */
function versionFault(version: JsonValue | undefined, now: number): string | undefined {
  if (!Number.isSafeInteger(version) || (version as number) < 0) {
    return "version: must be a whole number";
  }
  return (version as number) > now + AHEAD_MS_MAX
    ? "version: is more than a day ahead. Check the clock of the shop"
    : undefined;
}

/** Reads every product by itself, so that one that is wrong does not keep out the others. */
export function readChanges({ products, removed }: ProductsMessage, now: number) {
  const changes = new Map<string, ProductChange>();
  const problems: ProductProblem[] = [];
  for (const value of products) {
    const { id, version } = isJsonObject(value) ? value : {};
    const named = { id: String(id ?? "") };
    const fault = versionFault(version, now);
    if (!isJsonObject(value) || fault !== undefined) {
      problems.push({ ...named, problem: fault ?? "must be an object" });
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
    const fault = versionFault(version, now);
    if (fault !== undefined) {
      problems.push({ id, problem: fault });
      continue;
    }
    const known = changes.get(id);
    if (known !== undefined && known.version > version) continue;
    changes.set(id, { productId: id, version, product: null });
  }
  return { changes: [...changes.values()], problems };
}
