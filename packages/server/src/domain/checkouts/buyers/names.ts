import type { JsonObject } from "@gatehouse/protocol";
import { type CheckoutContent, chosenAddress } from "../checkout.js";

const NAMES = ["full_name", "first_name", "last_name"] as const;

function nameIn(members: JsonObject): string {
  const { full_name, first_name, last_name } = members;
  const parts = typeof full_name === "string" ? [full_name] : [first_name, last_name];
  return parts.filter((part) => typeof part === "string" && part !== "").join(" ");
}

type Named = Pick<CheckoutContent, "buyer" | "delivery">;

/** The name of a buyer, or else of the person who gets the goods. Null if neither is known. */
export function buyerName({ buyer, delivery }: Named): string | null {
  return nameIn(buyer) || nameIn(chosenAddress(delivery) ?? {}) || null;
}

/** All names that somebody could look for: the buyer's, and those of the person who gets the goods. */
export function namesIn({ buyer, delivery }: Named): string[] {
  return [buyer, chosenAddress(delivery) ?? {}].flatMap((members: JsonObject) =>
    NAMES.map((name) => members[name]).filter((text) => typeof text === "string"),
  );
}
