import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import type { Api } from "../api/client.js";
import { useList } from "../api/list.js";
import { useMay, useSite } from "../layout/sites.js";
import { FromShop, useSellingShop } from "../settings/shop-connection.js";
import { Badge } from "../ui/badge.js";
import { ExportButton } from "../ui/export-button.js";
import { type Column, ListView } from "../ui/list-view.js";
import { NothingFound } from "../ui/nothing-found.js";
import { Empty, Page } from "../ui/page.js";
import { Picture } from "../ui/picture.js";
import { SearchField } from "../ui/search-field.js";
import { useSortHead } from "../ui/sort-head.js";
import { ShortTime } from "../ui/time.js";
import { moneyText } from "../ui/words.js";
import { Bulk } from "./bulk.js";
import { FeedCard } from "./feed-card.js";
import { ImportCard } from "./import-card.js";
import type { ChosenFile } from "./import-preview.js";
import { PublishCard } from "./publish-card.js";
import { cellText, FIELDS } from "./read-file.js";

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
  const { id, sku, title, image_url } = product;
  return (
    <span className="flex items-center gap-3">
      <Picture url={image_url} className="size-10" />
      <span className="flex min-w-0 flex-col items-start gap-0.5">
        <Link to="/$site/products/$id" params={{ site: name, id }} state className="link">
          {title}
        </Link>
        <span className="text-xs text-soft break-all max-sm:hidden">
          {sku && sku !== id ? `${id} · SKU ${sku}` : id}
        </span>
      </span>
    </span>
  );
}

/** Whether agents can buy a product, in one word. */
function State({ product }: { readonly product: Product }) {
  const { availability, quantity, paused } = product;
  if (paused) return <Badge word="paused" look="warn" />;
  if (availability === "in_stock" && quantity === 0) return <Badge word="sold_out" look="bad" />;
  return <Badge word={availability} look={STOCK[availability]} />;
}

function useColumns(
  sort: string | undefined,
  chosen: ReadonlySet<string>,
  choose: (id: string) => void,
): readonly Column<Product>[] {
  const sortHead = useSortHead<"title" | "price" | "quantity" | "changed_at">(sort, "id");
  return [
    {
      head: "Select",
      narrow: "choice",
      header: <span className="sr-only">Select</span>,
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
    {
      ...sortHead("Product", "title", "ascending"),
      cell: (product) => <Named product={product} />,
    },
    {
      ...sortHead("Price", "price"),
      right: true,
      narrow: "side",
      cell: ({ price }) => moneyText(price),
    },
    { head: "Availability", narrow: "state", cell: (product) => <State product={product} /> },
    {
      ...sortHead("Stock", "quantity", "ascending"),
      right: true,
      narrow: "time",
      cell: ({ quantity, reserved }) => (
        <>
          {quantity ?? "Not tracked"}
          {quantity !== null && <span className="sm:hidden"> in stock</span>}
          {reserved > 0 && ` (${reserved} in checkout)`}
        </>
      ),
    },
    {
      ...sortHead("Changed", "changed_at"),
      narrow: "hidden",
      cell: ({ changed_at }) => <ShortTime at={changed_at} />,
    },
  ];
}

/** What a shop without products is told. */
function NoProducts({
  mayChange,
  system,
}: {
  readonly mayChange: boolean;
  readonly system: string | null | undefined;
}) {
  const { name } = useSite();
  return (
    <Empty
      title="No products yet"
      example={system ? undefined : "A red rose · €4.50 · 50 in stock"}
      action={
        mayChange && (
          <Link to="/$site/products/new" params={{ site: name }} state className="button-act">
            Add your first product
          </Link>
        )
      }
    >
      <p>
        {system
          ? `Your products appear here as soon as ${system} has sent them.`
          : "Agents can find and buy a product as soon as you add it. You can also import a file below."}
      </p>
    </Empty>
  );
}

/** A product as an import reads it: with its regular price, and each list in one cell. */
const importedRow = ({ regular_price: price, additional_image_urls, ...product }: Product) => ({
  ...product,
  price,
  additional_image_urls: additional_image_urls.join(" "),
  options: cellText(product.options),
});

/** The products of a site. */
export function ProductsPage() {
  const { site, path, name } = useSite();
  const search = useSearch({ from: "/shell/$site/products" });
  const navigate = useNavigate({ from: "/$site/products" });
  const list = useList<Product>("products", `${path}/products`, search);
  const mayChange = useMay("owner");
  const system = useSellingShop();
  // A shop system that sells decides everything about its products, except whether they are paused.
  const mayEdit = mayChange && system === null;
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const choose = (id: string) =>
    setChosen(
      (before) => new Set([...before].filter((one) => one !== id).concat(before.has(id) ? [] : id)),
    );
  const all = useColumns(search.sort, chosen, choose);
  const columns = mayChange ? all : all.slice(1);
  const [file, setFile] = useState<ChosenFile>();
  // The page has one primary button: of the chosen file, of the empty list, or else this one.
  const isAddPrimary = file === undefined && list.data?.length !== 0;
  return (
    <Page
      title="Products"
      purpose="What agents can find and buy in your shop."
      actions={
        <>
          {mayEdit && (
            <Link
              to="/$site/products/new"
              params={{ site: name }}
              state
              className={isAddPrimary ? "button-act" : "button-plain"}
            >
              Add a product
            </Link>
          )}
          <ExportButton
            path={`${path}/products`}
            filter={search}
            name="products"
            columns={FIELDS}
            rowOf={importedRow}
            raw
          />
        </>
      }
    >
      {system && <FromShop system={system} />}
      <div className="max-w-md">
        <SearchField
          key={search.q ?? ""}
          label="Name, product number or SKU"
          value={search.q}
          onSearch={(q) => void navigate({ search: (now) => ({ ...now, q }) })}
        />
      </div>
      {mayChange && (
        <Bulk
          shown={list.data ?? []}
          chosen={chosen}
          mayRemove={mayEdit}
          onChoose={(ids) => setChosen(new Set(ids))}
        />
      )}
      <ListView
        list={list}
        columns={columns}
        label="Products"
        keyOf={({ id }) => id}
        empty={
          search.q === undefined ? (
            <NoProducts mayChange={mayEdit && file === undefined} system={system} />
          ) : (
            <NothingFound title="No products found" />
          )
        }
      />
      {mayEdit && <ImportCard chosen={file} onChoose={setFile} />}
      {mayEdit && <FeedCard />}
      {mayChange && <PublishCard key={site.site_key_hash} site={site} />}
    </Page>
  );
}
