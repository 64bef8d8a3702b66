import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type Api, call } from "../api/client.js";
import { useList } from "../api/list.js";
import { useSave } from "../api/save.js";
import { useMay, useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { Id } from "../ui/id.js";
import { type Column, ExportButton, ListView } from "../ui/list-view.js";
import { Failure } from "../ui/notice.js";
import { Empty, Page } from "../ui/page.js";
import { SearchField } from "../ui/search-field.js";
import { Time } from "../ui/time.js";
import { countText, moneyText } from "../ui/words.js";
import { FeedCard } from "./feed-card.js";
import { ImportCard } from "./import-card.js";
import { PublishCard } from "./publish-card.js";

type Product = Api["Product"];

const STOCK: Readonly<Record<Product["availability"], "good" | "warn" | "bad">> = {
  in_stock: "good",
  preorder: "warn",
  backorder: "warn",
  out_of_stock: "bad",
};

/** The picture and the name of a product, with a link to its form. */
function Named({ product }: { readonly product: Product }) {
  const { name } = useSite();
  const { id, title, image_url } = product;
  return (
    <span className="flex items-center gap-3 max-sm:justify-end">
      {image_url === null ? (
        <span aria-hidden="true" className="size-10 shrink-0 rounded-lg bg-line/60" />
      ) : (
        <img src={image_url} alt="" className="size-10 shrink-0 rounded-lg object-cover" />
      )}
      <span className="flex min-w-0 flex-col items-start gap-0.5 max-sm:items-end">
        <Link to="/$site/products/$id" params={{ site: name, id }} className="link">
          {title}
        </Link>
        <Id value={id} label="product number" />
      </span>
    </span>
  );
}

const columnsFor = (chosen: ReadonlySet<string>, choose: (id: string) => void) => {
  const columns: Column<Product>[] = [
    {
      head: "Select",
      narrow: "choice",
      cell: ({ id, title }) => (
        <input
          type="checkbox"
          aria-label={`Select ${title}`}
          className="accent-act"
          checked={chosen.has(id)}
          onChange={() => choose(id)}
        />
      ),
    },
    { head: "Product", cell: (product) => <Named product={product} /> },
    { head: "Price", right: true, narrow: "side", cell: ({ price }) => moneyText(price) },
    {
      head: "Availability",
      cell: ({ availability, paused }) =>
        paused ? (
          <Badge word="paused" look="warn" />
        ) : (
          <Badge word={availability} look={STOCK[availability]} />
        ),
    },
    {
      head: "Stock",
      right: true,
      cell: ({ quantity, reserved }) =>
        `${quantity ?? "Not tracked"}${reserved > 0 ? ` (${reserved} in checkout)` : ""}`,
    },
    { head: "Changed", cell: ({ changed_at }) => <Time at={changed_at} /> },
  ];
  return columns;
};

/** Actions for all selected products. */
function Bulk({ ids, onDone }: { readonly ids: readonly string[]; onDone(): void }) {
  const { path } = useSite();
  const each = async (one: (query: string) => Promise<unknown>) => {
    for (const id of ids) await one(`${path}/products?id=${encodeURIComponent(id)}`);
    onDone();
  };
  const pause = useSave(
    (paused: boolean) => each((at) => call("PATCH", at, { paused })),
    "products",
    "processor",
  );
  const remove = useSave(() => each((at) => call("DELETE", at)), "products", "processor");
  if (ids.length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm" role="status">
      {countText(ids.length, "product")} selected
      <Button disabled={pause.isPending} onClick={() => pause.mutate(true)}>
        Pause
      </Button>
      <Button disabled={pause.isPending} onClick={() => pause.mutate(false)}>
        Resume
      </Button>
      <Confirm
        label="Remove"
        title={`Remove ${countText(ids.length, "product")}?`}
        yes="Remove"
        danger
        onYes={() => remove.mutateAsync()}
      >
        <p>Agents can no longer find or buy them. Existing orders keep their details.</p>
      </Confirm>
      {pause.isError && <Failure error={pause.error} />}
    </div>
  );
}

/** The columns of an import, so that an export can be imported again. */
const IMPORTED = [
  "id",
  "title",
  "description",
  "price",
  "currency",
  "image_url",
  "url",
  "availability",
  "quantity",
];

/** The products of a site. */
export function ProductsPage() {
  const { site, path, name } = useSite();
  const search = useSearch({ from: "/shell/$site/products" });
  const navigate = useNavigate({ from: "/$site/products" });
  const list = useList<Product>("products", `${path}/products`, search);
  const mayChange = useMay("owner");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const choose = (id: string) =>
    setChosen(
      (before) => new Set([...before].filter((one) => one !== id).concat(before.has(id) ? [] : id)),
    );
  const all = columnsFor(chosen, choose);
  const columns = mayChange ? all : all.slice(1);
  return (
    <Page
      title="Products"
      about="What agents can find and buy in your shop."
      actions={
        <>
          {mayChange && (
            <Link to="/$site/products/new" params={{ site: name }} className="button-act">
              Add a product
            </Link>
          )}
          <ExportButton
            {...{ path: `${path}/products`, filter: search, name: "products", columns: IMPORTED }}
          />
        </>
      }
    >
      <div className="max-w-md">
        <SearchField
          key={search.q ?? ""}
          label="Name or product number"
          value={search.q}
          onSearch={(q) => void navigate({ search: { q } })}
        />
      </div>
      <Bulk ids={[...chosen]} onDone={() => setChosen(new Set())} />
      <ListView
        {...{ list, columns, label: "Products" }}
        keyOf={({ id }) => id}
        empty={
          search.q === undefined ? (
            <Empty title="No products yet">
              <p>Add a product, or import a file below. Agents can buy it right away.</p>
            </Empty>
          ) : (
            <Empty title="No products found">Try other words.</Empty>
          )
        }
      />
      {mayChange && <FeedCard />}
      {mayChange && <ImportCard />}
      {mayChange && <PublishCard key={site.site_key_hash} site={site} />}
    </Page>
  );
}
