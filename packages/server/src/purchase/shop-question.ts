import { type CheckoutContent, chosenAddress } from "../domain/checkouts/checkout.js";
import type { WantedLine } from "../domain/checkouts/platform.js";
import type { QuotedPlace, ShopQuestion } from "../domain/shop-quotes/shop-quote.js";
import { COUNTRY, destinationIn, isText } from "./buyer-place.js";

/** Where the goods go, as far as prices depend on it. */
function quotedPlace({ delivery, context }: CheckoutContent): QuotedPlace | null {
  const place = chosenAddress(delivery) ?? context;
  const destination = destinationIn(place);
  if (destination === undefined || !COUNTRY.test(destination.country)) return null;
  const textOf = (name: string) => {
    const { [name]: value } = place;
    return isText(value) ? value.trim() : null;
  };
  return {
    country: destination.country,
    region: textOf("address_region"),
    postal_code: textOf("postal_code"),
    city: textOf("address_locality"),
    street: textOf("street_address"),
  };
}

interface Goods {
  readonly siteKeyHash: string;
  readonly currency: string;
  readonly lines: readonly WantedLine[];
  /** The checkout that they are bought with; null for an order without an address. */
  readonly content: CheckoutContent | null;
}

/** What a shop system is asked about goods. */
export function questionOf({ siteKeyHash, currency, lines, content }: Goods): ShopQuestion {
  return {
    siteKeyHash,
    currency,
    lines: lines.map(({ productId: product_id, quantity }) => ({ product_id, quantity })),
    destination: content && quotedPlace(content),
    option_id: content?.delivery.optionId ?? null,
    coupons: content?.codes ?? [],
  };
}
