import { useNavigate, useSearch } from "@tanstack/react-router";
import type { Api } from "../api/client.js";
import { useList } from "../api/list.js";
import { useMay, useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Id } from "../ui/id.js";
import { type Column, ExportButton, ListView } from "../ui/list-view.js";
import { Empty, Page } from "../ui/page.js";
import { SearchField } from "../ui/search-field.js";
import { Time } from "../ui/time.js";
import { moneyText } from "../ui/words.js";
import { ImportCard } from "./import-card.js";

type Product = Api["Product"];

const STOCK: Readonly<Record<Product["availability"], "good" | "warn" | "bad">> = {
  in_stock: "good",
  preorder: "warn",
  backorder: "warn",
  out_of_stock: "bad",
};

const COLUMNS: readonly Column<Product>[] = [
  {
    head: "Product",
    cell: ({ id, title }) => (
      <span className="flex flex-col items-start gap-0.5 max-sm:items-end">
        <span>{title}</span>
        <Id value={id} label="product id" />
      </span>
    ),
  },
  { head: "Price", right: true, cell: ({ price }) => moneyText(price) },
  {
    head: "Availability",
    cell: ({ availability }) => <Badge word={availability} look={STOCK[availability]} />,
  },
  {
    head: "Stock",
    right: true,
    cell: ({ quantity, reserved }) =>
      `${quantity ?? "not counted"}${reserved > 0 ? ` (${reserved} being paid)` : ""}`,
  },
  { head: "Changed", cell: ({ changed_at }) => <Time at={changed_at} /> },
];

/** The columns an import takes: what was exported can be imported again. */
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

/** What agents can buy here. */
export function ProductsPage() {
  const { path } = useSite();
  const search = useSearch({ from: "/shell/$site/products" });
  const navigate = useNavigate({ from: "/$site/products" });
  const list = useList<Product>("products", `${path}/products`, search);
  const mayImport = useMay("owner");
  return (
    <Page
      title="Products"
      about="What agents find and buy here. Prices in a mandate are compared with these."
      actions={
        <ExportButton
          {...{ path: `${path}/products`, filter: search, name: "products", columns: IMPORTED }}
        />
      }
    >
      <div className="max-w-md">
        <SearchField
          key={search.q ?? ""}
          label="Title or id"
          value={search.q}
          onSearch={(q) => void navigate({ search: { q } })}
        />
      </div>
      <ListView
        {...{ list, columns: COLUMNS, label: "Products" }}
        keyOf={({ id }) => id}
        empty={
          search.q === undefined ? (
            <Empty title="No product yet">
              <p>Import a list below: agents can only buy what stands in it, at its price.</p>
            </Empty>
          ) : (
            <Empty title="No product is called so">Look for other words.</Empty>
          )
        }
      />
      {mayImport && <ImportCard />}
    </Page>
  );
}
