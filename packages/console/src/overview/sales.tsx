import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Asker } from "../agents/names.js";
import { type Api, call, type Page } from "../api/client.js";
import { queryText } from "../api/list.js";
import { useSite } from "../layout/sites.js";
import { useZone } from "../layout/zone.js";
import { Badge } from "../ui/badge.js";
import { LoadingChart } from "../ui/loading.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { countText, moneyText } from "../ui/words.js";
import { Chart } from "./chart.js";
import { changeText, countWords, measureOf, valuesIn } from "./compare.js";
import { type Range, reachedBefore, spanOf, splitsHours } from "./ranges.js";

type Money = Api["Sales"]["amounts"][number];
interface SalesAnswer {
  readonly total: Api["Sales"];
  readonly items: readonly Api["SalesStep"][];
  readonly agents: readonly Api["SalesByAgent"][];
  readonly products: readonly Api["SalesByProduct"][];
  readonly is_test: boolean;
  readonly cut: boolean;
}

const isoTime = (ms: number) => new Date(ms).toISOString();

/** Nothing sold is an amount too, in the currency of the shop if it is known. */
const amountsText = (amounts: readonly Money[], currency: string | undefined) =>
  (amounts.length === 0 ? [{ minor: 0, currency: currency ?? "EUR" }] : amounts)
    .map(moneyText)
    .join(" + ");

function useSales(range: Range) {
  const { site, path } = useSite();
  const zone = useZone();
  return useQuery({
    queryKey: ["orders", site.site_key_hash, "counts", range, zone],
    queryFn: async () => {
      const now = Date.now();
      const span = spanOf(range, zone, now);
      if (span === undefined) return null;
      const by = splitsHours(span) ? "quarter_hour" : "hour";
      const get = (from = 0, to = 0) => {
        const query = queryText({
          by,
          from: isoTime(from),
          to: to > now ? undefined : isoTime(to),
        });
        return call<SalesAnswer>("GET", `${path}/orders/counts?${query}`);
      };
      const [start] = span.steps;
      const [sales, earlier] = await Promise.all([
        get(start, span.end),
        get(span.stepsBefore[0], start),
      ]);
      return { span, now, sales, earlier };
    },
  });
}

/** The first of something, by how much there is of each. */
export function Ranked({
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

export function Row({ name, value }: { readonly name: ReactNode; readonly value: string }) {
  return (
    <li className="flex justify-between gap-4">
      <span className="min-w-0 break-words">{name}</span>
      <span className="shrink-0 tabular-nums">{value}</span>
    </li>
  );
}

/** What was sold, over time, to whom, and which products sold most. */
export function Sales({ range }: { readonly range: Range }) {
  const { name, path } = useSite();
  const sales = useSales(range);
  const products = useQuery({
    queryKey: ["products", path, "first"],
    queryFn: () => call<Page<Api["Product"]>>("GET", `${path}/products?limit=1`),
  });
  if (sales.isError) return <Failure error={sales.error} />;
  if (!sales.isSuccess) return <LoadingChart />;
  if (sales.data === null) return null;
  const { span, sales: now, earlier } = sales.data;
  const { steps, stepsBefore, before: than } = span;
  const currency = products.data?.items[0]?.price.currency;
  const { label, words, measure, unit } = measureOf(now.total, earlier.total);
  // The time before is compared as far as this one has come.
  const reached = reachedBefore(span, earlier.items, sales.data.now);
  const sumOf = (what: typeof measure) => reached.reduce((sum, item) => sum + what(item), 0);
  const ordersBefore = sumOf(({ orders }) => orders);
  const title = (
    <span className="flex items-center gap-2">Sales {now.is_test && <Badge word="test" />}</span>
  );
  return (
    <Card title={title}>
      {now.cut && <Notice>These numbers are incomplete. Choose a shorter time.</Notice>}
      <p className="flex flex-wrap items-baseline gap-x-4">
        <strong className="text-xl leading-tight font-semibold tabular-nums">
          {amountsText(now.total.amounts, earlier.total.amounts[0]?.currency ?? currency)}
        </strong>
        <Link to="/$site/orders" params={{ site: name }} className="link">
          {countText(now.total.orders, "order")}
        </Link>
        <span className="text-sm text-soft">
          {changeText(measure(now.total), sumOf(measure), than, words)}
        </span>
      </p>
      {label !== "Orders" && ordersBefore > 0 && (
        <p className="text-sm text-soft">
          {changeText(now.total.orders, ordersBefore, than, countWords("orders"))}
        </p>
      )}
      <Chart
        title={`${label} over time`}
        steps={steps}
        by={span.by}
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
