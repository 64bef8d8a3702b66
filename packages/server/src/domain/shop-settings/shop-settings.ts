import { ok, parseAmount, type Result, refuse } from "@gatehouse/protocol";

/** Kinds of pages UCP knows a shop to link to. */
export const LINK_TYPES = [
  ...(["terms_of_service", "privacy_policy", "refund_policy", "shipping_policy", "faq"] as const),
] as const;
type LinkType = (typeof LINK_TYPES)[number];

/** A way to have something sent, as its owner wrote it. */
export interface ShippingOption {
  readonly id: string;
  readonly title: string;
  /** What it costs, by currency, as `4.90`; it is not offered for others. */
  readonly prices: Readonly<Record<string, string>>;
  /** How many days it takes, from and to. */
  readonly days?: readonly [number, number] | undefined;
}

interface ShippingZone {
  /** Two letters each; `*` stands for every country no zone names. */
  readonly countries: readonly string[];
  readonly options: readonly ShippingOption[];
}

/** A rate: at most two digits, and four after the point. */
export const PERCENT = /^(0|[1-9]\d?)(?:\.(\d{1,4}))?$/;

/** What is added to the price, where the price does not hold it already. */
interface TaxRate {
  readonly country: string;
  readonly region?: string | undefined;
  /** As `7.25`. */
  readonly percent: string;
}

/** What an owner sets about selling through platforms. */
export interface ShopSettings {
  /** Nothing is sent anywhere where it is empty. */
  readonly shipping: readonly ShippingZone[];
  readonly taxes: readonly TaxRate[];
  /** What a buyer agrees to; null: the words Gatehouse has for it. */
  readonly terms: { readonly text: string; readonly version: string } | null;
  readonly links: Readonly<Partial<Record<LinkType, string>>>;
  /** Whether orders are taken from platforms that do not prove who they are. */
  readonly allowUnsigned: boolean;
  /** Whether buyers are told of their orders by mail. */
  readonly buyerMail: boolean;
}

export const NO_SHOP: ShopSettings = Object.freeze({
  shipping: [],
  taxes: [],
  terms: null,
  links: {},
  allowUnsigned: false,
  buyerMail: true,
});

function twice<T>(list: readonly T[]): T | undefined {
  return list.find((item, i) => list.indexOf(item) !== i);
}

/**
 * What is wrong with settings that have the right shape: what no schema can say. A table that names a
 * place twice would mean two things.
 */
export function shopFault({ shipping, taxes }: ShopSettings): Result<true, "invalid"> {
  const country = twice(shipping.flatMap(({ countries }) => countries));
  if (country !== undefined) {
    return refuse("invalid", `shipping: ${country} stands in more than one place.`);
  }
  for (const { options } of shipping) {
    const id = twice(options.map((option) => option.id));
    if (id !== undefined) return refuse("invalid", `shipping: two options are called ${id}.`);
    for (const { id: option, prices } of options) {
      for (const [currency, price] of Object.entries(prices)) {
        const money = parseAmount(price, currency);
        if (!money.ok) {
          return refuse("invalid", `shipping: ${option} in ${currency}: ${money.detail}.`);
        }
      }
    }
  }
  const place = twice(taxes.map((rate) => `${rate.country} ${rate.region ?? ""}`.trim()));
  if (place !== undefined) return refuse("invalid", `taxes: ${place} stands there twice.`);
  return ok(true);
}
