import { formatAmount, parseAmount } from "@gatehouse/protocol";
import type { Api } from "../api/client.js";
import { idFrom, moneyText, typedAmount } from "../ui/words.js";
import { countryName } from "./countries.js";

export type Shop = Api["ShopSettings"];
type Zone = NonNullable<Shop["shipping"]>[number];

/** A delivery option as typed. */
export interface OptionDraft {
  readonly key: string;
  readonly id: string;
  readonly title: string;
  readonly price: string;
  readonly currency: string;
  readonly from: string;
  readonly to: string;
  /** Prices in other currencies. */
  readonly others: Readonly<Record<string, string>>;
}

export interface ZoneDraft {
  readonly key: string;
  readonly countries: readonly string[];
  readonly options: readonly OptionDraft[];
}

let keys = 0;
/** A key for what somebody adds. What is saved has its place as its key. */
export const newKey = () => {
  keys += 1;
  return `new-${keys}`;
};

export function newOption(currency: string): OptionDraft {
  const empty = { id: "", title: "", price: "", from: "", to: "" };
  return { key: newKey(), ...empty, currency, others: {} };
}

export function newZone(currency: string): ZoneDraft {
  return { key: newKey(), countries: [], options: [newOption(currency)] };
}

/** An amount with all decimals of its currency: `4.9` is `4.90`. */
function decimals(amount: string, currency: string): string {
  const price = parseAmount(amount, currency);
  return price.ok ? formatAmount(price.value) : amount;
}

export function zoneDrafts(shipping: readonly Zone[], currency: string): readonly ZoneDraft[] {
  return shipping.map(({ countries, options }, zone) => ({
    key: String(zone),
    countries,
    options: options.map(({ id, title, prices, days }, option) => {
      const [first = [currency, ""], ...rest] = Object.entries(prices);
      const [from = "", to = ""] = days ?? [];
      return {
        key: String(option),
        id,
        title,
        price: decimals(first[1], first[0]),
        currency: first[0],
        from: String(from),
        to: String(to),
        others: Object.fromEntries(rest.map(([code, amount]) => [code, decimals(amount, code)])),
      };
    }),
  }));
}

/** An ID from the name, unique in its zone. */
function idOf({ id, title }: OptionDraft, taken: ReadonlySet<string>): string {
  if (id !== "") return id;
  const plain = idFrom(title).slice(0, 30);
  const base = plain === "" ? "delivery" : plain;
  let name = base;
  for (let number = 2; taken.has(name); number++) name = `${base}-${number}`;
  return name;
}

/** The zones in the format of the API. */
export function shippingOf(zones: readonly ZoneDraft[]): Zone[] {
  return zones.map(({ countries, options }) => {
    const taken = new Set(options.map(({ id }) => id));
    return {
      countries: [...countries],
      options: options.map((option) => {
        const id = idOf(option, taken);
        taken.add(id);
        const { title, price, currency, from, to, others } = option;
        const known = from !== "" || to !== "";
        const days = [Number(from || to), Number(to || from)] as [number, number];
        return {
          id,
          title,
          prices: Object.fromEntries(
            Object.entries({ [currency]: price, ...others }).map(([code, amount]) => [
              code,
              typedAmount(amount, code),
            ]),
          ),
          ...(known ? { days } : {}),
        };
      }),
    };
  });
}

const daysText = (days?: readonly number[]) => {
  if (days === undefined) return "";
  const [from, to] = days;
  const count = from === to ? `${from}` : `${from} to ${to}`;
  return `, ${count} ${count === "1" ? "day" : "days"}`;
};

function priceText(amount: string, currency: string): string {
  const price = parseAmount(amount, currency);
  return price.ok ? moneyText(price.value) : `${amount} ${currency}`;
}

/** A zone in a sentence: countries, options and prices. */
export function zoneText({ countries, options }: Zone): string {
  const where = countries.map(countryName).join(", ");
  const ways = options.map(({ title, prices, days }) => {
    const price = Object.entries(prices)
      .map(([currency, amount]) => priceText(amount, currency))
      .join(" or ");
    return `${title} for ${price}${daysText(days)}`;
  });
  return `${where.charAt(0).toUpperCase()}${where.slice(1)}: ${ways.join("; ")}.`;
}
