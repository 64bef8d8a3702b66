import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Asker } from "../agents/names.js";
import { useMay, useSite } from "../layout/sites.js";
import { Id } from "../ui/id.js";
import { Loading } from "../ui/loading.js";
import { Failure } from "../ui/notice.js";
import { Card, Facts, Page } from "../ui/page.js";
import { skillTitle } from "../ui/skill-title.js";
import { Time } from "../ui/time.js";
import { moneyText, titleOf } from "../ui/words.js";
import { AddNote, ShipAndCancel } from "./order-actions.js";
import { OrderBadges } from "./order-badges.js";
import { OrderGoods } from "./order-goods.js";
import { OrderPayment } from "./order-payment.js";
import { orderName, orderQuery, type ShownOrder } from "./orders.js";
import { Purchase } from "./purchase.js";
import { Timeline } from "./timeline.js";

/** Who bought it, and the names that programs use. */
function Source({ order }: { readonly order: ShownOrder }) {
  return (
    <Card title="Bought by">
      <Facts
        rows={[
          ["Who", <Asker key="who" id={order.agent_id} />],
          ["Bought through", `${skillTitle(order.skill)} (${titleOf(order.protocol)})`],
          ["In your shop system", order.shop_order_id && `Order ${order.shop_order_id}`],
          [
            "Personal data",
            order.erased_at && (
              <span key="erased">
                Erased on <Time at={order.erased_at} />
              </span>
            ),
          ],
        ]}
      />
      <details className="text-sm">
        <summary className="text-soft">Details</summary>
        <div className="mt-2">
          <Facts
            rows={[
              ["Order ID", <Id key="id" value={order.order_id} label="order ID" />],
              [
                "Agent or platform ID",
                <Id key="caller" value={order.agent_id} label="agent or platform ID" />,
              ],
              ["Payment ID", <Id key="attempt" value={order.attempt_id} label="payment ID" />],
            ]}
          />
        </div>
      </details>
    </Card>
  );
}

function PageLinks({ order, site }: { readonly order: ShownOrder; readonly site: string }) {
  return (
    <>
      <Link
        to="/$site/orders/$id/slip"
        params={{ site, id: order.order_id }}
        className="rounded-lg border border-line px-3 py-1.5 text-sm font-medium hover:border-soft"
      >
        Print packing slip
      </Link>
      {order.page_url !== null && (
        <a href={order.page_url} target="_blank" rel="noreferrer" className="link py-1.5 text-sm">
          Open the buyer's order page
        </a>
      )}
    </>
  );
}

/** One order: what happened, and on the right what was bought, how it is paid and where it goes. */
export function OrderPage() {
  const { site, name, path } = useSite();
  const { id } = useParams({ from: "/shell/$site/orders/$id" });
  const found = useQuery(orderQuery(site.site_key_hash, path, id));
  const mayAct = useMay("owner");
  if (found.isError) return <Failure error={found.error} />;
  if (!found.isSuccess) return <Loading />;
  const order = found.data;
  return (
    <Page title={`Order ${orderName(order)}`} actions={<PageLinks order={order} site={name} />}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <span className="text-[1.75rem] font-semibold tabular-nums">{moneyText(order.amount)}</span>
        <OrderBadges order={order} />
        <span className="text-sm text-soft">
          <Time at={order.created_at} />
        </span>
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-[3fr_2fr]">
        <div className="flex min-w-0 flex-col gap-4">
          <OrderGoods order={order} />
          <Card title="What happened">
            <Timeline order={order} />
            {mayAct && <AddNote order={order} />}
          </Card>
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          {mayAct && <ShipAndCancel order={order} />}
          <OrderPayment order={order} />
          {order.purchase !== null && (
            <Purchase purchase={order.purchase as never} amount={order.amount} />
          )}
          <Source order={order} />
        </div>
      </div>
    </Page>
  );
}
