import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Api, call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Confirm } from "../ui/confirm.js";
import { Snippet } from "../ui/id.js";
import { Loading } from "../ui/loading.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card, Facts } from "../ui/page.js";
import { Time } from "../ui/time.js";
import { countText } from "../ui/words.js";
import { type ShopConnection, shopConnectionQuery } from "./shop-connection.js";

/** So that the page shows the shop soon after somebody pasted the code there. */
const LOOK_MS = 3000;
const TOPICS = ["shop-connection", "products"];

/** A code for the shop system, shown once. */
function ConnectCode({ connected }: { readonly connected: string | null }) {
  const { path, site } = useSite();
  const create = useSave(() =>
    call<Api["ShopConnectionCode"]>("POST", `${path}/shop-connection/codes`, {}),
  );
  return (
    <>
      <div>
        <Confirm
          label={connected === null ? "Connect a shop" : "Replace the connection"}
          title={`Connect the shop at ${site.domain}?`}
          yes="Create a code"
          onYes={() => create.mutateAsync()}
        >
          <p>
            The code works only for the shop at {site.domain}. This shop then decides prices and
            stock, and can capture and refund the payments of its orders.{" "}
            {connected !== null && `It replaces the connection to ${connected}.`}
          </p>
        </Confirm>
      </div>
      {create.data !== undefined && (
        <>
          <Snippet label="code" text={create.data.connect_code} />
          <p className="text-sm text-soft">
            Paste it into the shop system of {site.domain}. In WordPress, that is Settings →
            Gatehouse. The code works once, until <Time at={create.data.expires_at} />.
          </p>
        </>
      )}
    </>
  );
}

/** Products that the shop no longer lists, for the owner to confirm. */
function Doubt({ connection }: { readonly connection: ShopConnection }) {
  const { path } = useSite();
  const { problem } = connection.products;
  const confirm = useSave(() => call("POST", `${path}/shop-connection/confirm-list`), ...TOPICS);
  if (problem === null) return null;
  return (
    <Notice>
      <p>{problem}</p>
      <Confirm
        label="Pause these products"
        title="Pause the products that your shop no longer lists?"
        yes="Pause"
        onYes={() => confirm.mutateAsync()}
      >
        <p>Agents cannot buy them until your shop lists them again.</p>
      </Confirm>
    </Notice>
  );
}

function messagesText({ waiting, failed }: ShopConnection["messages"]): string {
  if (waiting + failed === 0) return "All sent";
  const parts = [
    ...(waiting > 0 ? [`${countText(waiting, "message")} waiting`] : []),
    ...(failed > 0 ? [`${countText(failed, "message")} failed`] : []),
  ];
  return parts.join(", ");
}

function ConnectedSystem({ connection }: { readonly connection: ShopConnection }) {
  const { path, name } = useSite();
  const { system, sells, products, messages, connected_at, seen_at, unanswered } = connection;
  const disconnect = useSave(() => call("DELETE", `${path}/shop-connection`), ...TOPICS);
  const shop: [string, ReactNode][] = [
    [
      "Products",
      <Link key="products" to="/$site/products" params={{ site: name }} className="link">
        {countText(products.listed, "product")} from your shop
      </Link>,
    ],
    [
      "Last full list",
      products.synced_at === null ? "Not yet" : <Time key="synced" at={products.synced_at} />,
    ],
    ["Orders to your shop", messagesText(messages)],
  ];
  return (
    <>
      <Facts
        rows={[
          ["Connected to", system],
          ["Connected", <Time key="connected" at={connected_at} />],
          ["Last message from your shop", <Time key="seen" at={seen_at} />],
          ...(sells ? shop : []),
        ]}
      />
      {unanswered && (
        <Notice>
          <p>
            Your shop has not given a valid answer since <Time at={unanswered.since} />. Problem:{" "}
            {unanswered.problem}. Agents cannot buy until it answers again. Check that your firewall
            and security plugins allow requests to your shop.
          </p>
        </Notice>
      )}
      <Doubt connection={connection} />
      <div className="flex flex-wrap gap-2">
        <Confirm
          label="Disconnect"
          title={`Disconnect ${system}?`}
          yes="Disconnect"
          danger
          onYes={() => disconnect.mutateAsync()}
        >
          <p>
            Products from your shop are paused, because Gatehouse no longer knows their stock. They
            are on sale again when you connect the shop again, or when you resume them here. Orders
            are no longer sent to your shop.
          </p>
        </Confirm>
      </div>
    </>
  );
}

/** The shop system that the site's products, prices and orders come from. */
export function ShopSystemPart() {
  const { path } = useSite();
  const query = useQuery({ ...shopConnectionQuery(path), refetchInterval: LOOK_MS });
  if (query.isPending) return <Loading />;
  if (query.isError) return <Failure error={query.error} />;
  const connection = query.data;
  return (
    <Card title="Shop system">
      {connection === null ? (
        <p className="max-w-prose text-sm text-soft">
          Connect WooCommerce or another shop system. Products, prices, stock, delivery and taxes
          then come from your shop, and orders of agents arrive in it.
        </p>
      ) : (
        <ConnectedSystem connection={connection} />
      )}
      <ConnectCode key={connection?.connected_at} connected={connection?.system ?? null} />
    </Card>
  );
}
