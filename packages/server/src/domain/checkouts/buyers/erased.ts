import type { JsonObject } from "@gatehouse/protocol";
import type { Cart } from "../carts/cart.js";
import { type Checkout, type CheckoutContent, chosenAddress } from "../checkout.js";

/** Platforms choose the ids of addresses, so an id can be a person's name. */
const ERASED_ADDRESS = "dest_1";

/** Says nothing about a person, but is needed for taxes, statistics and the language of the order page. */
const KEPT_CONTEXT = ["address_country", "currency", "language"];

const keptOf = (members: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([name]) => names.includes(name)));

function erasedContent({ lines, context, delivery }: CheckoutContent): CheckoutContent {
  const address = chosenAddress(delivery);
  const place = address && { ...keptOf(address, ["address_country"]), id: ERASED_ADDRESS };
  return {
    lines,
    buyer: {},
    context: keptOf(context, KEPT_CONTEXT),
    delivery: {
      addresses: place === undefined ? [] : [place],
      addressId: place === undefined ? null : ERASED_ADDRESS,
      optionId: delivery.optionId,
    },
  };
}

/** A checkout without personal data: items, prices and the country stay. */
export function erasedCheckout(checkout: Checkout): Checkout {
  return { ...checkout, browserMac: null, content: erasedContent(checkout.content) };
}

/** A cart without personal data. */
export function erasedCart(cart: Cart): Cart {
  return { ...cart, buyer: {}, context: keptOf(cart.context, KEPT_CONTEXT) };
}
