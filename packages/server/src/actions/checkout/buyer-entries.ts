import type { JsonObject } from "@gatehouse/protocol";
import type { Language } from "../../domain/buyer-words/words.js";
import { type Checkout, chosenAddress } from "../../domain/checkouts/checkout.js";
import type { Queries } from "../../infra/db/database.js";
import { quoteFor } from "./quote.js";

/** What a buyer enters on the page of a checkout. */
export interface BuyerEntries {
  readonly email: string;
  /** The members of a postal address, as UCP names them. */
  readonly address: JsonObject;
  readonly optionId: string | null;
  readonly language: Language;
  /** The browser that the entries belong to from now on. */
  readonly browserMac: string;
}

const ENTERED = "entered";

/**
 * A checkout with the entries of its buyer, at current prices. They replace everything that was known of the
 * buyer: two people with the same link never see each other's data.
 */
export async function entered(
  db: Queries,
  checkout: Checkout,
  entries: BuyerEntries | null,
  purpose: "order" | "quote",
): Promise<Checkout> {
  const { siteKeyHash } = checkout;
  if (entries === null) {
    return { ...checkout, quote: await quoteFor(db, siteKeyHash, checkout.content, purpose) };
  }
  const { email, address, language, browserMac } = entries;
  const { first_name, last_name, phone_number } = address;
  const buyer = withoutEmpty({ email, first_name, last_name, phone_number });
  const { address_country, address_region, postal_code } = address;
  const place = withoutEmpty({ address_country, address_region, postal_code });
  const context = { ...checkout.content.context, ...place, language };
  const delivery = {
    addresses: [{ ...withoutEmpty(address), id: ENTERED }],
    addressId: ENTERED,
    optionId: entries.optionId,
  };
  const content = { ...checkout.content, buyer, context, delivery };
  const quote = await quoteFor(db, siteKeyHash, content, purpose);
  // With one way to deliver there is nothing to choose.
  const [only, ...others] = quote.options;
  if (!quote.missing.includes("option") || only === undefined || others.length > 0) {
    return { ...checkout, content, quote, browserMac };
  }
  const chosen = { ...content, delivery: { ...delivery, optionId: only.id } };
  const priced = await quoteFor(db, siteKeyHash, chosen, purpose);
  return { ...checkout, content: chosen, quote: priced, browserMac };
}

function withoutEmpty(members: Readonly<Record<string, unknown>>): JsonObject {
  const texts = Object.entries(members).filter(
    ([, text]) => typeof text === "string" && text !== "",
  );
  return Object.fromEntries(texts) as JsonObject;
}

/** What a browser is shown of the buyer: nothing, unless it is the one whose entries these are. */
export function shownEntries(
  { content, browserMac }: Checkout,
  browser: string,
): { readonly email: string; readonly address: JsonObject } {
  if (browserMac !== browser) return { email: "", address: {} };
  const { email } = content.buyer;
  const { first_name, last_name, phone_number } = content.buyer;
  const named = withoutEmpty({ first_name, last_name, phone_number });
  const place = withoutEmpty({
    address_country: content.context.address_country,
    address_region: content.context.address_region,
    postal_code: content.context.postal_code,
  });
  const address = { ...place, ...named, ...chosenAddress(content.delivery) };
  return { email: typeof email === "string" ? email : "", address };
}
