import type { Api } from "../api/client.js";
import { Card, Facts } from "../ui/page.js";
import { moneyText, plainWord, strangersText } from "../ui/words.js";

type PurchaseBody = NonNullable<Api["Purchase"]>;

/** Who buys and where it goes, as they told it at checkout. */
export function Purchase({
  purchase,
  amount,
}: {
  readonly purchase: PurchaseBody;
  readonly amount: Api["Order"]["amount"] | null;
}) {
  const money = (minor: number | null) =>
    minor === null || amount === null ? null : moneyText({ minor, currency: amount.currency });
  const lines = (about: Readonly<Record<string, string>>) =>
    Object.entries(about).map(
      ([name, value]) => [plainWord(name), <bdi key={name}>{strangersText(value)}</bdi>] as const,
    );
  return (
    <Card title="Purchase">
      <Facts rows={lines(purchase.buyer)} />
      {purchase.address !== null && (
        <>
          <h3 className="text-sm font-medium">Sent to</h3>
          <Facts rows={lines(purchase.address)} />
        </>
      )}
      <Facts
        rows={[
          ["Delivery", purchase.delivery?.title ?? null],
          ["Goods", money(purchase.subtotal_minor)],
          ["Shipping", money(purchase.shipping_minor)],
          ["Tax", money(purchase.tax_minor)],
        ]}
      />
    </Card>
  );
}
