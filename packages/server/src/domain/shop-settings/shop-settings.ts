import {
  dayInZone,
  minorUnitDigits,
  ok,
  parseAmount,
  type Result,
  refuse,
  startOfDay,
} from "@gatehouse/protocol";
import { HOUR_MS, MINUTE_MS } from "../../infra/time.js";

/** Pages of a shop that UCP can link to. */
export const LINK_TYPES = [
  "terms_of_service",
  "privacy_policy",
  "refund_policy",
  "shipping_policy",
  "faq",
] as const;
type LinkType = (typeof LINK_TYPES)[number];

/** A shipping option that the owner offers. */
export interface ShippingOption {
  readonly id: string;
  readonly title: string;
  /** Prices by currency, as `4.90`. The option is not offered in other currencies. */
  readonly prices: Readonly<Record<string, string>>;
  /** The least and the most days it takes. */
  readonly days?: readonly [number, number] | undefined;
}

interface ShippingZone {
  /** Two letters each; `*` means every country that no other zone names. */
  readonly countries: readonly string[];
  readonly options: readonly ShippingOption[];
}

/** A tax rate: at most two digits, and four decimal places. */
export const PERCENT = /^(0|[1-9]\d?)(?:\.(\d{1,4}))?$/;

/** A tax that is added to prices. */
interface TaxRate {
  readonly country: string;
  readonly region?: string | undefined;
  /** As `7.25`. */
  readonly percent: string;
}

/** The owner's settings for selling through platforms. */
export interface ShopSettings {
  /** If it is empty, nothing can be shipped. */
  readonly shipping: readonly ShippingZone[];
  readonly taxes: readonly TaxRate[];
  /** The terms that a buyer agrees to; null for the default terms. */
  readonly terms: { readonly text: string; readonly version: string } | null;
  readonly links: Readonly<Partial<Record<LinkType, string>>>;
  /** Whether platforms that do not sign their requests can order. */
  readonly allowUnsigned: boolean;
  /** Whether agents can order by mandate, without an address, what the shop system has to send. */
  readonly ordersWithoutAddress: boolean;
  /** Whether buyers get mail about their orders. */
  readonly buyerMail: boolean;
  /** Whether goods are delivered. False for services and digital goods: the console asks for no delivery then. */
  readonly delivers: boolean;
  /** A link into the shop's own cart, to which buyers are sent instead of our page; null for our page. */
  readonly cartLink: string | null;
  /** What new products, delivery prices and limits are in; null if the owner has not chosen. */
  readonly currency: string | null;
  /** What new rules are in, such as `Europe/Berlin`; null if the owner has not chosen. */
  readonly timeZone: string | null;
}

/** All lines as `id:quantity`, with commas between them. */
export const ITEMS = "{items}";
/** The product of a shop whose links take one. */
const ID = "{id}";
const QUANTITY = "{quantity}";
/** The discount code of the buyer. */
export const COUPON = "{coupon}";
/** What has the code in a link. A link without a code leaves it out. */
const COUPON_PARAMETER = /&[^&=#]+=\{coupon\}(?=[&#]|$)/g;

/** Whether a link can be used without a code, too. */
export const canOmitCoupon = (link: string): boolean =>
  !link.replaceAll(COUPON_PARAMETER, "").includes(COUPON);

/** Whether a link says where the goods go. */
export const isCartLink = (link: string): boolean =>
  link.includes(ITEMS) || (link.includes(ID) && link.includes(QUANTITY));

/**
 * The link into the shop's own cart with these goods, and a discount code if there is one; undefined if the shop's
 * links take one product and there are more.
 *
 * @example
 * cartLinkTo("https://shop.example.com/cart/{items}", [{ productId: "rose", quantity: 2 }], null); //=> "https://shop.example.com/cart/rose:2"
 */
export function cartLinkTo(
  template: string,
  lines: readonly { readonly productId: string; readonly quantity: number }[],
  coupon: string | null,
): string | undefined {
  const link =
    coupon === null
      ? template.replaceAll(COUPON_PARAMETER, "")
      : template.replaceAll(COUPON, () => encodeURIComponent(coupon));
  if (link.includes(ITEMS)) {
    const items = lines.map(
      ({ productId, quantity }) => `${encodeURIComponent(productId)}:${quantity}`,
    );
    return link.replaceAll(ITEMS, items.join(","));
  }
  const [only, ...others] = lines;
  if (only === undefined || others.length > 0) return undefined;
  const id = encodeURIComponent(only.productId);
  return link.replaceAll(ID, id).replaceAll(QUANTITY, String(only.quantity));
}

export const NO_SHOP: ShopSettings = Object.freeze({
  shipping: [],
  taxes: [],
  terms: null,
  links: {},
  allowUnsigned: false,
  ordersWithoutAddress: false,
  buyerMail: true,
  delivers: true,
  cartLink: null,
  currency: null,
  timeZone: null,
});

/** Whether it is a name of the IANA database, not an offset. */
function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return /^[A-Za-z]/.test(name);
  } catch {
    return false;
  }
}

/** The minute of the UTC hour at which hours begin now in the time zone of the shop: 30 in Asia/Kolkata. */
export function hourStartMinute({ timeZone }: ShopSettings, now: number): number {
  if (timeZone === null) return 0;
  const midnight = startOfDay(dayInZone(now, timeZone), timeZone) ?? 0;
  return (midnight % HOUR_MS) / MINUTE_MS;
}

function twice<T>(list: readonly T[]): T | undefined {
  return list.find((item, i) => list.indexOf(item) !== i);
}

/**
 * Checks what a schema cannot: that no place or option is named twice, that prices are valid amounts, and that the
 * currency and the time zone exist.
 */
export function shopFault({
  shipping,
  taxes,
  currency,
  timeZone,
}: ShopSettings): Result<true, "invalid"> {
  if (currency !== null && minorUnitDigits(currency) === undefined) {
    return refuse("invalid", `currency: ${currency} is not an active ISO 4217 code.`);
  }
  if (timeZone !== null && !isTimeZone(timeZone)) {
    return refuse("invalid", `time_zone: ${timeZone} is not a time zone, such as Europe/Berlin.`);
  }
  const place = twice(shipping.flatMap(({ countries }) => countries));
  if (place !== undefined) {
    return refuse("invalid", `shipping: has ${place} more than once.`);
  }
  for (const [zone, { options }] of shipping.entries()) {
    const id = twice(options.map((option) => option.id));
    if (id !== undefined) return refuse("invalid", `shipping: has two options with the id ${id}.`);
    for (const [option, { prices }] of options.entries()) {
      for (const [code, price] of Object.entries(prices)) {
        const money = parseAmount(price, code);
        if (money.ok) continue;
        const path = `shipping.${zone}.options.${option}.prices.${code}`;
        return refuse("invalid", `${path}: ${money.detail}.`);
      }
    }
  }
  const taxed = twice(taxes.map((rate) => `${rate.country} ${rate.region ?? ""}`.trim()));
  if (taxed !== undefined) return refuse("invalid", `taxes: has ${taxed} twice.`);
  return ok(true);
}
