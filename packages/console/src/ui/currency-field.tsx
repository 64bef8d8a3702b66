import { currencyCodes } from "@gatehouse/protocol";
import type { ComponentProps } from "react";
import { Select } from "./field.js";

const names = new Intl.DisplayNames(["en"], { type: "currency" });

/** A currency with its name, such as “euros (EUR)” in a sentence. */
export const currencyText = (code: string) => `${names.of(code) ?? code} (${code})`;

/** The currencies that most shops have, which are listed first. */
const COMMON = ["EUR", "USD", "GBP", "CHF", "JPY", "CAD", "AUD", "INR"];

export const CURRENCY_CHOICES: Readonly<Record<string, string>> = Object.fromEntries(
  [...new Set([...COMMON, ...currencyCodes()])].map((code) => [
    code,
    `${code} – ${names.of(code) ?? code}`,
  ]),
);

type Props = Omit<ComponentProps<typeof Select>, "choices" | "label"> & {
  readonly label?: string;
  /** What choosing none means. Without it, one must be chosen. */
  readonly none?: string;
};

/** A currency to choose. Typing its code finds it. */
export function CurrencyField({ label = "Currency", none, ...rest }: Props) {
  const choices = none === undefined ? CURRENCY_CHOICES : { "": none, ...CURRENCY_CHOICES };
  return <Select label={label} choices={choices} {...rest} />;
}
