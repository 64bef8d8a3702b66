import type { Api } from "../api/client.js";
import { Card, Facts } from "../ui/page.js";
import { moneyText, strangersText, titleOf } from "../ui/words.js";
import { addressLines } from "./address.js";

type PurchaseBody = NonNullable<Api["Purchase"]>;

/** The buyer and the address, as given at checkout. */
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
      ([name, value]) => [titleOf(name), <bdi key={name}>{strangersText(value)}</bdi>] as const,
    );
  return (
    <Card title="Buyer and delivery">
      <Facts rows={lines(purchase.buyer)} />
      {purchase.address !== null && (
        <>
          <h3 className="text-sm font-medium">Delivery address</h3>
          <address className="text-sm not-italic">
            {addressLines(purchase).map((line) => (
              <bdi key={line} className="block break-words">
                {line}
              </bdi>
            ))}
          </address>
        </>
      )}
      <Facts
        rows={[
          ["Delivery", purchase.delivery?.title ?? null],
          ["Items", money(purchase.subtotal_minor)],
          ["Delivery cost", money(purchase.shipping_minor)],
          ["Tax", money(purchase.tax_minor)],
        ]}
      />
    </Card>
  );
}
