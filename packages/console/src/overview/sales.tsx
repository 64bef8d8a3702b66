import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Asker } from "../agents/names.js";
import { type Api, call, type Page } from "../api/client.js";
import { queryText } from "../api/list.js";
import { useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Loading } from "../ui/loading.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { countText, moneyText } from "../ui/words.js";
import { Chart } from "./chart.js";
import { changeText, measureOf, timeBefore, valuesIn } from "./compare.js";
import { RANGES, type RangeName, stepsOf } from "./ranges.js";

type Money = Api["Sales"]["amounts"][number];
interface SalesAnswer {
  readonly total: Api["Sales"];
  readonly items: readonly Api["SalesStep"][];
  readonly agents: readonly Api["SalesByAgent"][];
  readonly products: readonly Api["SalesByProduct"][];
  readonly is_test: boolean;
  readonly cut: boolean;
}

/** Nothing sold is an amount too, in the currency of the shop if it is known. */
const amountsText = (amounts: readonly Money[], currency: string | undefined) =>
  (amounts.length === 0 ? [{ minor: 0, currency: currency ?? "EUR" }] : amounts)
    .map(moneyText)
    .join(" + ");

function useSales(range: RangeName) {
  const { site, path } = useSite();
  return useQuery({
    queryKey: ["orders", site.site_key_hash, "counts", range],
    queryFn: async () => {
      const now = Date.now();
      const steps = stepsOf(range, now);
      const [from = 0] = steps;
      const stepsBefore = stepsOf(range, from - 1);
      const get = (query: Record<string, string>) =>
        call<SalesAnswer>("GET", `${path}/orders/counts?${queryText({ ...query, by: "hour" })}`);
      const iso = (ms: number) => new Date(ms).toISOString();
      const [sales, earlier] = await Promise.all([
        get({ from: iso(from) }),
        get({ from: iso(stepsBefore[0] ?? 0), to: iso(from) }),
      ]);
      return { steps, stepsBefore, sales, earlier, elapsed: now - from };
    },
  });
}

function Ranked({
  title,
  children,
}: {
  readonly title: string;
  readonly children: readonly ReactNode[];
}) {
  if (children.length === 0) return null;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <h3 className="text-sm font-medium">{title}</h3>
      <ol className="flex flex-col gap-1.5 text-sm">{children}</ol>
    </div>
  );
}

function Row({ name, value }: { readonly name: ReactNode; readonly value: string }) {
  return (
    <li className="flex justify-between gap-4">
      <span className="min-w-0 break-words">{name}</span>
      <span className="shrink-0 tabular-nums">{value}</span>
    </li>
  );
}

/** What was sold, over time, to whom, and which products sold most. */
export function Sales({ range }: { readonly range: RangeName }) {
  const { name, path } = useSite();
  const sales = useSales(range);
  const products = useQuery({
    queryKey: ["products", path, "first"],
    queryFn: () => call<Page<Api["Product"]>>("GET", `${path}/products?limit=1`),
  });
  if (sales.isError) return <Failure error={sales.error} />;
  if (!sales.isSuccess) return <Loading />;
  const { steps, stepsBefore, sales: now, earlier, elapsed } = sales.data;
  const currency = products.data?.items[0]?.price.currency;
  const { label, words, measure, unit } = measureOf(now.total, earlier.total);
  // The time before is compared as far as this one has come.
  const until = (stepsBefore[0] ?? 0) + elapsed;
  const reached = earlier.items
    .filter(({ start }) => Date.parse(start) < until)
    .reduce((sum, item) => sum + measure(item), 0);
  const than = timeBefore(range);
  const title = (
    <span className="flex items-center gap-2">Sales {now.is_test && <Badge word="test" />}</span>
  );
  return (
    <Card title={title}>
      {now.cut && <Notice>These numbers are incomplete. Choose a shorter time.</Notice>}
      <p className="flex flex-wrap items-baseline gap-x-4">
        <strong className="text-[1.75rem] leading-tight font-semibold tabular-nums">
          {amountsText(now.total.amounts, earlier.total.amounts[0]?.currency ?? currency)}
        </strong>
        <Link to="/$site/orders" params={{ site: name }} className="link">
          {countText(now.total.orders, "order")}
        </Link>
        <span className="text-sm text-soft">
          {changeText(measure(now.total), reached, than, words)}
        </span>
      </p>
      <Chart
        title={`${label} over time`}
        steps={steps}
        by={RANGES[range].by}
        {...(unit && { unit })}
        series={[{ label, color: "act", values: valuesIn(steps, now.items, measure) }]}
        before={{
          label: than.charAt(0).toUpperCase() + than.slice(1),
          values: valuesIn(stepsBefore, earlier.items, measure),
        }}
      />
      <div className="grid gap-6 sm:grid-cols-2">
        <Ranked title="Top products">
          {now.products.map(({ id, title: product, quantity }) => (
            <Row
              key={id}
              value={`${quantity.toLocaleString()} sold`}
              name={
                <Link to="/$site/products/$id" params={{ site: name, id }} className="link">
                  {product}
                </Link>
              }
            />
          ))}
        </Ranked>
        <Ranked title="Agents and platforms by sales">
          {now.agents.map(({ agent_id, amounts }) => (
            <Row
              key={agent_id}
              name={<Asker id={agent_id} />}
              value={amountsText(amounts, currency)}
            />
          ))}
        </Ranked>
      </div>
    </Card>
  );
}
