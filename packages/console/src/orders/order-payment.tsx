import { Link } from "@tanstack/react-router";
import { useMay, useSite } from "../layout/sites.js";
import { Notice } from "../ui/notice.js";
import { Card, Facts } from "../ui/page.js";
import { Time } from "../ui/time.js";
import { moneyText, titleOf } from "../ui/words.js";
import { ChangePayment } from "./change-payment.js";
import { PaymentBadge } from "./order-badges.js";
import type { ShownOrder } from "./orders.js";

type PaymentFacts = NonNullable<ShownOrder["payment_facts"]>;

/** What is under way at the payment provider. */
function Pending({ facts, currency }: { readonly facts: PaymentFacts; readonly currency: string }) {
  const pending = facts.changes.find(({ status }) => ["requested", "unknown"].includes(status));
  if (pending === undefined) return null;
  const amount = moneyText({ minor: pending.amount_minor, currency });
  return (
    <Notice>
      {titleOf(pending.kind)} of {amount} requested. The payment provider has not confirmed it yet.
      The result appears here.
    </Notice>
  );
}

/** The buttons that move money. The service decides what can be done. */
function MoneyButtons({
  order,
  facts,
}: {
  readonly order: ShownOrder;
  readonly facts: PaymentFacts;
}) {
  const { capture, refund } = facts;
  if (capture === null && refund === null) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {capture !== null && (
        <ChangePayment
          order={order}
          kind="capture"
          maxMinor={capture.max_minor}
          firstMinor={capture.owed_minor}
        />
      )}
      {refund !== null && (
        <ChangePayment
          order={order}
          kind="refund"
          maxMinor={refund.max_minor}
          firstMinor={refund.max_minor}
        />
      )}
    </div>
  );
}

/** The payment of an order: its state, what was captured and refunded, and what can be done. */
export function OrderPayment({ order }: { readonly order: ShownOrder }) {
  const { name } = useSite();
  const mayAct = useMay("owner");
  const {
    amount,
    captured_minor: captured,
    refunded_minor: refunded,
    payment_facts: facts,
  } = order;
  const money = (minor: number) => moneyText({ ...amount, minor });
  return (
    <Card title="Payment">
      <Facts
        rows={[
          ["State", <PaymentBadge key="state" order={order} />],
          ["Authorized", money(amount.minor)],
          [
            "Expires",
            order.lapses_at && order.payment === "authorized" && (
              <Time key="expires" at={order.lapses_at} />
            ),
          ],
          ["Captured", captured === null ? null : money(captured)],
          ["Refunded", refunded === 0 ? null : money(refunded)],
          ["Paid by", order.paid_by_person && "The buyer, on the payment page"],
          ["Provider", facts && titleOf(facts.processor)],
          [
            "Test order",
            order.is_test &&
              "No money moves. Do not send anything. You can mark it as sent to see what agents are shown.",
          ],
        ]}
      />
      {facts !== null && <Pending facts={facts} currency={amount.currency} />}
      {mayAct && facts !== null && <MoneyButtons order={order} facts={facts} />}
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        {facts !== null && facts.url !== null && (
          <a href={facts.url} target="_blank" rel="noreferrer" className="link">
            Open in {titleOf(facts.processor)}
          </a>
        )}
        <Link
          to="/$site/decisions/$id"
          params={{ site: name, id: order.decision_id }}
          className="link"
        >
          Why it was approved
        </Link>
      </p>
    </Card>
  );
}
