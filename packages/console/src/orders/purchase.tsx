import type { Api } from "../api/client.js";
import { Card, Facts } from "../ui/page.js";
import { moneyText, strangersText } from "../ui/words.js";
import { addressLines } from "./address.js";

type PurchaseBody = NonNullable<Api["Purchase"]>;

/** Whoever bought it, with a way to write to them. All of this is what a stranger typed. */
function BuyerLines({ buyer }: { readonly buyer: PurchaseBody["buyer"] }) {
  const { first_name, last_name, full_name, email, phone_number, ...rest } = buyer;
  const name = full_name ?? [first_name, last_name].filter(Boolean).join(" ");
  const others = Object.values(rest).filter((text) => text !== undefined);
  return (
    <p className="flex flex-col text-sm">
      {name !== "" && <bdi className="font-medium break-words">{strangersText(name)}</bdi>}
      {email !== undefined && (
        <a href={`mailto:${encodeURIComponent(email)}`} className="link self-start break-all">
          {strangersText(email)}
        </a>
      )}
      {[phone_number, ...others].map(
        (text) =>
          text !== undefined && (
            <bdi key={text} className="break-words">
              {strangersText(text)}
            </bdi>
          ),
      )}
    </p>
  );
}

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
  return (
    <Card title="Buyer and delivery">
      <BuyerLines buyer={purchase.buyer} />
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
