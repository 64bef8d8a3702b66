import { formatAmount, type Money } from "@gatehouse/protocol";

/** A sum as people write it: `12.50 EUR`; nothing for none. */
export function moneyText(amount: Money | null): string {
  return amount === null ? "" : `${formatAmount(amount)} ${amount.currency}`;
}
