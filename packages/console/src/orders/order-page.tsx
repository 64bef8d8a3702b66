import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Asker } from "../agents/names.js";
import { useMay, useSite } from "../layout/sites.js";
import { LoadingOrder } from "../ui/loading.js";
import { Failure } from "../ui/notice.js";
import { Card, Page } from "../ui/page.js";
import { skillTitle } from "../ui/skill-title.js";
import { Time } from "../ui/time.js";
import { moneyText, titleOf } from "../ui/words.js";
import { AddNote, ShipAndCancel } from "./order-actions.js";
import { OrderBadges } from "./order-badges.js";
import { OrderDetails } from "./order-details.js";
import { OrderGoods } from "./order-goods.js";
import { OrderPayment } from "./order-payment.js";
import { orderName, orderQuery, type ShownOrder } from "./orders.js";
import { BuyerCard, WhereTo } from "./purchase.js";
import { Timeline } from "./timeline.js";

/** Through whom it was bought, and what became of the buyer's data. */
const sourceOf = (order: ShownOrder) =>
  [
    ["Bought by", <Asker key="who" id={order.agent_id} />],
    ["Through", `${skillTitle(order.skill)} (${titleOf(order.protocol)})`],
    ["In your shop system", order.shop_order_id && `Order ${order.shop_order_id}`],
    [
      "Personal data",
      order.erased_at && (
        <span key="erased">
          Erased on <Time at={order.erased_at} />
        </span>
      ),
    ],
  ] as const;

function PageLinks({ order, site }: { readonly order: ShownOrder; readonly site: string }) {
  return (
    <>
      {order.purchase?.address != null && (
        <Link
          to="/$site/orders/$id/slip"
          params={{ site, id: order.order_id }}
          className="button-plain"
        >
          Print packing slip
        </Link>
      )}
      {order.page_url !== null && (
        <a href={order.page_url} target="_blank" rel="noreferrer" className="link py-1.5 text-sm">
          Open the buyer's order page
        </a>
      )}
    </>
  );
}

/** One order: on the left the goods and what happened, on the right who bought it, where to, and the payment. */
export function OrderPage() {
  const { site, name, path } = useSite();
  const { id } = useParams({ from: "/shell/$site/orders/$id" });
  const query = useQuery(orderQuery(site.site_key_hash, path, id));
  const mayAct = useMay("owner");
  if (query.isError) return <Failure error={query.error} />;
  if (!query.isSuccess) return <LoadingOrder />;
  const order = query.data;
  const { purchase } = order;
  return (
    <Page title={`Order ${orderName(order)}`} actions={<PageLinks order={order} site={name} />}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <span className="text-xl font-semibold tabular-nums">{moneyText(order.amount)}</span>
        <OrderBadges order={order} />
        <span className="text-sm text-soft">
          <Time at={order.created_at} />
        </span>
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-[3fr_2fr] lg:grid-rows-[auto_1fr]">
        <OrderGoods order={order}>{mayAct && <ShipAndCancel order={order} />}</OrderGoods>
        <div className="flex min-w-0 flex-col gap-4 lg:col-start-2 lg:row-span-2 lg:row-start-1">
          <BuyerCard purchase={purchase} rows={sourceOf(order)} />
          {purchase !== null && <WhereTo purchase={purchase} />}
          <OrderPayment order={order} />
          <OrderDetails order={order} />
        </div>
        <Card title="Timeline">
          <Timeline order={order} />
          {mayAct && <AddNote order={order} />}
        </Card>
      </div>
    </Page>
  );
}
