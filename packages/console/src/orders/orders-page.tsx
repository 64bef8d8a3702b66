import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { Asker } from "../agents/names.js";
import { useList } from "../api/list.js";
import { useMay, useSite } from "../layout/sites.js";
import { DayRange } from "../ui/day-range.js";
import { ExportButton } from "../ui/export-button.js";
import { Select } from "../ui/field.js";
import { useSetFilter } from "../ui/filter.js";
import { type Column, ListView } from "../ui/list-view.js";
import { NothingFound } from "../ui/nothing-found.js";
import { Empty, Page } from "../ui/page.js";
import { useSortHead } from "../ui/sort-head.js";
import { ShortTime } from "../ui/time.js";
import { moneyText, strangersText } from "../ui/words.js";
import { OrderSearch, useOrderFilter } from "./find-orders.js";
import { MarkMany } from "./mark-many.js";
import { OrderBadges, PaymentBadge } from "./order-badges.js";
import {
  canMarkSent,
  type ListedOrder,
  ORDER_STATES,
  orderName,
  PAYMENT_STATES,
} from "./orders.js";

/** The columns of an exported file: what people work with first, then the names that programs use. */
const COLUMNS = [
  "number",
  "created_at",
  "status",
  "payment",
  "amount",
  "buyer_name",
  "items",
  "agent_id",
  "skill",
  "protocol",
  "captured_minor",
  "refunded_minor",
  "payment_changed_at",
  "lapses_at",
  "is_test",
  "order_id",
  "decision_id",
  "attempt_id",
  "shop_order_id",
  "erased_at",
];

/** The rows that a person has chosen, by ID. */
interface Chosen {
  readonly ids: ReadonlySet<string>;
  choose(id: string, on: boolean): void;
}

function selectColumn({ ids, choose }: Chosen): Column<ListedOrder> {
  return {
    head: "Select",
    narrow: "choice",
    header: <span className="sr-only">Select</span>,
    cell: (order) =>
      canMarkSent(order) && (
        <input
          type="checkbox"
          aria-label={`Select order ${orderName(order)}`}
          className="accent-act"
          checked={ids.has(order.order_id)}
          onChange={({ target }) => choose(order.order_id, target.checked)}
        />
      ),
  };
}

function useColumns(site: string, chosen: Chosen | null): readonly Column<ListedOrder>[] {
  const { sort } = useSearch({ from: "/shell/$site/orders" });
  const sortHead = useSortHead<"amount" | "created_at">(sort, "-created_at");
  return [
    ...(chosen === null ? [] : [selectColumn(chosen)]),
    {
      head: "Order",
      cell: (order) => (
        <>
          <Link
            to="/$site/orders/$id"
            params={{ site, id: order.order_id }}
            className="link font-medium"
          >
            {orderName(order)}
          </Link>
          <span className="block text-soft max-sm:hidden">
            {order.items.map(({ quantity, title }) => `${quantity} × ${title}`).join(", ")}
          </span>
        </>
      ),
    },
    {
      ...sortHead("Amount", "amount"),
      right: true,
      narrow: "side",
      cell: ({ amount }) => <span className="tabular-nums">{moneyText(amount)}</span>,
    },
    { head: "State", narrow: "state", cell: (order) => <OrderBadges order={order} /> },
    { head: "Payment", narrow: "hidden", cell: (order) => <PaymentBadge order={order} /> },
    { head: "Buyer", narrow: "name", cell: (order) => <Buyer order={order} /> },
    {
      ...sortHead("Ordered", "created_at"),
      narrow: "time",
      cell: ({ created_at }) => <ShortTime at={created_at} />,
    },
  ];
}

/** Who bought, and through whom. Only owners see a name. */
function Buyer({ order: { buyer_name, agent_id } }: { readonly order: ListedOrder }) {
  if (buyer_name === null) return <Asker id={agent_id} />;
  return (
    <>
      <bdi>{strangersText(buyer_name)}</bdi>
      <span className="block text-xs text-soft max-sm:hidden">
        <Asker id={agent_id} />
      </span>
    </>
  );
}

function NoOrders({ site, narrowed }: { readonly site: string; readonly narrowed: boolean }) {
  if (narrowed) return <NothingFound title="No orders found" />;
  return (
    <Empty
      title="No orders yet"
      example="#1001 · €42.00 · 2 × A red rose · to send"
      action={
        <Link to="/$site/settings/$part" params={{ site, part: "payments" }} className="button-act">
          See whether you are ready to sell
        </Link>
      }
    >
      <p>Orders appear here as soon as an agent or a platform buys something.</p>
    </Empty>
  );
}

/** The orders of a site. */
export function OrdersPage() {
  const { name } = useSite();
  const { search, buyer, isNarrow, path, filter } = useOrderFilter();
  const set = useSetFilter();
  const mayAct = useMay("owner");
  const list = useList<ListedOrder>("orders", path, filter);
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  function choose(id: string, on: boolean) {
    setIds((now) => new Set(on ? [...now, id] : [...now].filter((one) => one !== id)));
  }
  const columns = useColumns(name, mayAct ? { ids, choose } : null);
  const selected = (list.data ?? []).filter(
    (order) => ids.has(order.order_id) && canMarkSent(order),
  );
  return (
    <Page
      title="Orders"
      purpose="What was sold through agents, platforms and the payment page, with the state of payment and delivery. The money is with your payment provider, never with Gatehouse."
      actions={<ExportButton path={path} filter={filter} name="orders" columns={COLUMNS} />}
    >
      <div className="grid grid-cols-2 items-end gap-3 lg:grid-cols-[1fr_1fr_1fr_1fr_auto]">
        <Select
          label="State"
          value={search.status ?? ""}
          choices={{ "": "All", ...ORDER_STATES }}
          onChoose={(value) => set("status", value)}
        />
        <Select
          label="Payment"
          value={search.payment ?? ""}
          choices={{ "": "All", ...PAYMENT_STATES }}
          onChoose={(value) => set("payment", value)}
        />
        <DayRange from={search.from} to={search.to} onSet={set} />
        <div className="max-lg:col-span-2">
          <OrderSearch number={search.number} buyer={buyer} />
        </div>
      </div>
      {mayAct && <MarkMany orders={selected} onDone={(failed) => setIds(new Set(failed))} />}
      <ListView
        list={list}
        columns={columns}
        label="Orders"
        keyOf={({ order_id }) => order_id}
        empty={<NoOrders site={name} narrowed={isNarrow} />}
      />
    </Page>
  );
}
