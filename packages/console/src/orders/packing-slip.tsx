import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useSite } from "../layout/sites.js";
import { useZone } from "../layout/zone.js";
import { Button } from "../ui/button.js";
import { Loading } from "../ui/loading.js";
import { Failure } from "../ui/notice.js";
import { addressLines } from "./address.js";
import { orderName, orderQuery, type ShownOrder } from "./orders.js";

/** What is still to be sent. Once everything is sent, all items. */
function toPack({ lines }: ShownOrder) {
  const left = lines.map((line) => ({ ...line, left: line.total - line.fulfilled }));
  const open = left.filter((line) => line.left > 0);
  return open.length > 0 ? open : left.map((line) => ({ ...line, left: line.total }));
}

function Goods({ order }: { readonly order: ShownOrder }) {
  return (
    <table className="w-full text-sm">
      <thead>
        <tr className="border-b border-line text-left print:border-black">
          <th scope="col" className="py-2 pr-4 text-right">
            Quantity
          </th>
          <th scope="col" className="w-full py-2">
            Item
          </th>
          <th scope="col" className="py-2 pl-4">
            Number
          </th>
        </tr>
      </thead>
      <tbody>
        {toPack(order)
          .filter(({ left }) => left > 0)
          .map(({ line_id, left, title, id }) => (
            <tr key={line_id} className="border-b border-line align-top print:border-black">
              <td className="py-2 pr-4 text-right text-base font-semibold tabular-nums">{left}</td>
              <td className="py-2 break-words">{title}</td>
              <td className="py-2 pl-4 break-all">{id}</td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

/** A page to print and put into the parcel: what is in it, and where it goes. Without prices. */
export function PackingSlip() {
  const { site, name, path } = useSite();
  const { id } = useParams({ from: "/shell/$site/orders/$id/slip" });
  const timeZone = useZone();
  const query = useQuery(orderQuery(site.site_key_hash, path, id));
  if (query.isError) return <Failure error={query.error} />;
  if (!query.isSuccess) return <Loading />;
  const order = query.data;
  const lines = order.purchase === null ? [] : addressLines(order.purchase);
  return (
    <div className="flex flex-col gap-4">
      <title>{`Packing slip ${orderName(order)} · Gatehouse`}</title>
      <div className="flex flex-wrap items-center gap-4 print:hidden">
        <Button kind="act" onClick={() => window.print()}>
          Print
        </Button>
        <Link to="/$site/orders/$id" params={{ site: name, id }} className="link text-sm">
          Back to the order
        </Link>
      </div>
      <article
        data-slip
        className="flex w-full max-w-2xl flex-col gap-6 rounded-lg border border-line bg-card p-6 print:max-w-none print:border-0 print:bg-white print:p-0 print:text-black"
      >
        <header className="flex flex-wrap justify-between gap-x-8 gap-y-2">
          <div>
            <p className="text-lg font-semibold">{site.name}</p>
            <p className="text-sm">{site.domain}</p>
          </div>
          <div className="sm:text-right">
            <h1 className="text-lg font-semibold">Packing slip {orderName(order)}</h1>
            <p className="text-sm">
              Ordered on{" "}
              {new Date(order.created_at).toLocaleDateString(undefined, {
                dateStyle: "long",
                timeZone,
              })}
            </p>
          </div>
        </header>
        {lines.length > 0 && (
          <section>
            <h2 className="text-sm font-semibold">Deliver to</h2>
            <address className="not-italic">
              {lines.map((line) => (
                <bdi key={line} className="block break-words">
                  {line}
                </bdi>
              ))}
            </address>
          </section>
        )}
        <Goods order={order} />
        {order.is_test && <p className="font-semibold">Test order. Do not send anything.</p>}
      </article>
    </div>
  );
}
