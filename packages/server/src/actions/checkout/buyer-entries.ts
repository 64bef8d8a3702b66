import type { JsonObject } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
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

/** Whether a browser entered the buyer of a checkout, and not its platform. */
export const isEntered = ({ content }: Checkout): boolean =>
  content.delivery.addresses.some(({ id }) => id === ENTERED);

/**
 * A checkout with the entries of its buyer, at current prices. They replace everything that was known of the
 * buyer: two people with the same link never see each other's data.
 */
export async function entered(
  tools: Pick<Context, "clock">,
  db: Queries,
  checkout: Checkout,
  entries: BuyerEntries | null,
  purpose: "order" | "quote",
): Promise<Checkout> {
  const { siteKeyHash } = checkout;
  if (entries === null) {
    return {
      ...checkout,
      quote: await quoteFor(tools, db, siteKeyHash, checkout.content, purpose),
    };
  }
  const { email, address, language, browserMac } = entries;
  const { first_name, last_name, phone_number } = address;
  const buyer = withoutEmpty({ email, first_name, last_name, phone_number });
  const context = {
    ...withoutPlace(checkout.content.context),
    ...contextOfAddress(address),
    language,
  };
  const delivery = {
    addresses: [{ ...withoutEmpty(address), id: ENTERED }],
    addressId: ENTERED,
    optionId: entries.optionId,
  };
  const content = { ...checkout.content, buyer, context, delivery };
  const quote = await quoteFor(tools, db, siteKeyHash, content, purpose);
  // With one way to deliver there is nothing to choose.
  const [only, ...others] = quote.options;
  if (!quote.missing.includes("option") || only === undefined || others.length > 0) {
    return { ...checkout, content, quote, browserMac };
  }
  const chosen = { ...content, delivery: { ...delivery, optionId: only.id } };
  const priced = await quoteFor(tools, db, siteKeyHash, chosen, purpose);
  return { ...checkout, content: chosen, quote: priced, browserMac };
}

/** Where a buyer is, which the context repeats for prices. */
function contextOfAddress({
  address_country,
  address_region,
  postal_code,
}: JsonObject): JsonObject {
  return withoutEmpty({ address_country, address_region, postal_code });
}

/** Nothing of somebody else's address stays. */
function withoutPlace({
  address_country: _country,
  address_region: _region,
  postal_code: _code,
  ...others
}: JsonObject): JsonObject {
  return others;
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
  const address = {
    ...contextOfAddress(content.context),
    ...named,
    ...chosenAddress(content.delivery),
  };
  return { email: typeof email === "string" ? email : "", address };
}
