import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useMay, useSite } from "../layout/sites.js";
import { Who } from "../reviews/review-card.js";
import { Badge } from "../ui/badge.js";
import { Id } from "../ui/id.js";
import { Loading } from "../ui/loading.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card, Facts, Page } from "../ui/page.js";
import { skillTitle } from "../ui/skill-title.js";
import { Time } from "../ui/time.js";
import { moneyText, titleOf } from "../ui/words.js";
import { OrderActions } from "./order-actions.js";
import { orderQuery, orderState, type ShownOrder } from "./orders.js";
import { Expiry } from "./orders-page.js";
import { Purchase } from "./purchase.js";
import { Timeline } from "./timeline.js";

function Lines({ order }: { readonly order: ShownOrder }) {
  const { currency } = order.amount;
  return (
    <Card title="Items">
      <ul className="flex flex-col gap-2 text-sm">
        {order.lines.map((line) => (
          <li key={line.line_id} className="flex flex-wrap justify-between gap-x-4">
            <span>
              {line.quantity} × {line.title} <span className="text-soft">({line.id})</span>
            </span>
            <span className="text-soft">
              {moneyText({ minor: line.unit_minor, currency })} each, {line.fulfilled} of{" "}
              {line.total} sent
              {line.delivered > 0 && `, ${line.delivered} delivered`}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** One order: its items, its payment and its history. */
export function OrderPage() {
  const { site, name, path } = useSite();
  const { id } = useParams({ from: "/shell/$site/orders/$id" });
  const found = useQuery(orderQuery(site.site_key_hash, path, id));
  const mayAct = useMay("owner");
  if (found.isError) return <Failure error={found.error} />;
  if (!found.isSuccess) return <Loading />;
  const order = found.data;
  const { captured_minor: captured, amount } = order;
  return (
    <Page title={`Order for ${moneyText(amount)}`}>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <div className="flex min-w-0 flex-col gap-4">
          <Card title="Order">
            <Facts
              rows={[
                ["State", <Badge key="state" word={orderState(order)} />],
                [
                  "Payment",
                  <span key="payment" className="flex flex-wrap items-center gap-2">
                    <Badge word={order.payment} /> <Expiry order={order} />
                  </span>,
                ],
                [
                  "Authorization expires",
                  order.lapses_at && order.payment === "authorized" && (
                    <Time key="expires" at={order.lapses_at} />
                  ),
                ],
                ["Test order", order.is_test && "No money moves, and there is nothing to send."],
                ["Paid by", order.paid_by_person && "The buyer, on the payment page"],
                ["Captured", captured === null ? null : moneyText({ ...amount, minor: captured })],
                ["Bought by", <Who key="who" id={order.agent_id} />],
                ["Bought with", `${skillTitle(order.skill)} (${titleOf(order.protocol)})`],
                ["Ordered", <Time key="sold" at={order.created_at} />],
                [
                  "Personal data",
                  order.erased_at && (
                    <span key="erased">
                      Erased on <Time at={order.erased_at} />
                    </span>
                  ),
                ],
                ["Order ID", <Id key="id" value={order.order_id} label="order ID" />],
                ["Payment ID", <Id key="attempt" value={order.attempt_id} label="payment ID" />],
              ]}
            />
            {order.payment === "authorized" && !order.is_test && (
              <Notice>
                The payment is authorized, but not captured. Capture it at your payment provider
                before the authorization expires. Gatehouse cannot capture it for you.
              </Notice>
            )}
            <p className="flex flex-wrap gap-4 text-sm">
              <Link
                to="/$site/decisions/$id"
                params={{ site: name, id: order.decision_id }}
                className="link"
              >
                Why it was approved
              </Link>
              {order.page_url !== null && (
                <a href={order.page_url} target="_blank" rel="noreferrer" className="link">
                  Open the buyer's order page
                </a>
              )}
            </p>
          </Card>
          <Lines order={order} />
          {order.purchase !== null && (
            <Purchase purchase={order.purchase as never} amount={amount} />
          )}
          {mayAct && <OrderActions order={order} />}
        </div>
        <Card title="What happened">
          <Timeline order={order} />
        </Card>
      </div>
    </Page>
  );
}
