import { Link, useSearch } from "@tanstack/react-router";
import { Asker } from "../agents/names.js";
import { useList } from "../api/list.js";
import { useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Select } from "../ui/field.js";
import { useSetFilter } from "../ui/filter.js";
import { type Column, ExportButton, ListView } from "../ui/list-view.js";
import { Empty, Page } from "../ui/page.js";
import { Time } from "../ui/time.js";
import { moneyText, spanText } from "../ui/words.js";
import { ORDER_STATES, type Order, orderState, PAYMENT_STATES } from "./orders.js";

/** With less time left than this, the payment should be captured soon. */
const SOON_S = 24 * 3600;

/** How soon an authorization expires. */
export function Expiry({ order }: { readonly order: Order }) {
  const { lapses_in_seconds: left } = order;
  if (order.payment !== "authorized" || left === null) return null;
  const look = left < SOON_S ? "font-medium text-warn" : "text-soft";
  return <span className={`text-xs ${look}`}>expires in {spanText(left * 1000)}</span>;
}

function columnsFor(site: string): readonly Column<Order>[] {
  return [
    {
      head: "Order",
      cell: ({ order_id, items }) => (
        <Link to="/$site/orders/$id" params={{ site, id: order_id }} className="link">
          {items.map(({ quantity, title }) => `${quantity} × ${title}`).join(", ") || order_id}
        </Link>
      ),
    },
    { head: "Amount", right: true, cell: ({ amount }) => moneyText(amount) },
    { head: "State", cell: (order) => <Badge word={orderState(order)} /> },
    {
      head: "Payment",
      cell: (order) => (
        <span className="inline-flex flex-wrap items-center gap-2">
          <Badge word={order.payment} /> <Expiry order={order} />
        </span>
      ),
    },
    { head: "Bought by", cell: ({ agent_id }) => <Asker id={agent_id} /> },
    { head: "Ordered", cell: ({ created_at }) => <Time at={created_at} /> },
  ];
}

/** The orders of a site. */
export function OrdersPage() {
  const { name, path } = useSite();
  const filter = useSearch({ from: "/shell/$site/orders" });
  const set = useSetFilter();
  const list = useList<Order>("orders", `${path}/orders`, filter);
  return (
    <Page
      title="Orders"
      about="What agents bought in your shop, with the state of payment and delivery. The money is with your payment provider, never with Gatehouse."
      actions={<ExportButton path={`${path}/orders`} filter={filter} name="orders" />}
    >
      <div className="grid max-w-xl gap-3 sm:grid-cols-2">
        <Select
          label="State"
          value={filter.status ?? ""}
          choices={{ "": "All", ...ORDER_STATES }}
          onChoose={(value) => set("status", value)}
        />
        <Select
          label="Payment"
          value={filter.payment ?? ""}
          choices={{ "": "All", ...PAYMENT_STATES }}
          onChoose={(value) => set("payment", value)}
        />
      </div>
      <ListView
        {...{ list, columns: columnsFor(name), label: "Orders" }}
        keyOf={({ order_id }) => order_id}
        empty={
          <Empty title="No orders yet">
            <p>
              Orders appear here as soon as an agent or a platform buys something. Not ready yet?
              See what is missing under{" "}
              <Link
                to="/$site/settings/$part"
                params={{ site: name, part: "payments" }}
                className="link"
              >
                Payments
              </Link>
              .
            </p>
          </Empty>
        }
      />
    </Page>
  );
}
