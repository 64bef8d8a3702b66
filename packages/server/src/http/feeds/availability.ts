import type { Product } from "../../domain/products/product.js";

/** Whether a product can be ordered now: one that is sold out cannot, even if its owner has set something else. */
export function availabilityOf({ availability, quantity, reserved }: Product): string {
  const isSoldOut = availability === "in_stock" && quantity !== null && quantity <= reserved;
  return isSoldOut ? "out_of_stock" : availability;
}
