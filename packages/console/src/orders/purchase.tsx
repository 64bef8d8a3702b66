import type { ReactNode } from "react";
import type { Api } from "../api/client.js";
import { Card, Facts } from "../ui/page.js";
import { strangersText } from "../ui/words.js";
import { addressLines } from "./address.js";

type PurchaseBody = NonNullable<Api["Purchase"]>;

/** Whoever bought it, with a way to write to them. All of this is what a stranger typed. */
function BuyerLines({ buyer }: { readonly buyer: PurchaseBody["buyer"] }) {
  const { first_name, last_name, full_name, email, phone_number, ...rest } = buyer;
  const name = full_name ?? [first_name, last_name].filter(Boolean).join(" ");
  const others = Object.values(rest).filter((text) => text !== undefined);
  return (
    <p className="flex flex-col text-sm">
      {name !== "" && (
        <bdi className="text-base font-medium break-words">{strangersText(name)}</bdi>
      )}
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

/** Who bought, and through whom. `purchase` is null for an order without a checkout. */
export function BuyerCard({
  purchase,
  rows,
}: {
  readonly purchase: PurchaseBody | null;
  readonly rows: readonly (readonly [string, ReactNode])[];
}) {
  return (
    <Card title="Buyer">
      {purchase !== null && <BuyerLines buyer={purchase.buyer} />}
      <Facts rows={rows} />
    </Card>
  );
}

/** Where the goods go, and how. */
export function WhereTo({ purchase }: { readonly purchase: PurchaseBody }) {
  const { address, delivery } = purchase;
  if (address === null && delivery === null) return null;
  return (
    <Card title="Where to">
      <address className="text-sm not-italic">
        {addressLines(purchase).map((line) => (
          <bdi key={line} className="block break-words">
            {line}
          </bdi>
        ))}
      </address>
      {delivery !== null && <p className="text-sm text-soft">{delivery.title}</p>}
    </Card>
  );
}
