import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type Api, call, type Page as Listed } from "../api/client.js";
import { queryText } from "../api/list.js";
import { useSave } from "../api/save.js";
import { OwnersNotice } from "../layout/owners-only.js";
import { useMay, useSite } from "../layout/sites.js";
import { FromShop, useSellingShop } from "../settings/shop-connection.js";
import { Button } from "../ui/button.js";
import { LoadingPage } from "../ui/loading.js";
import { Failure, Notice } from "../ui/notice.js";
import { Card, Facts, Page } from "../ui/page.js";
import { Picture } from "../ui/picture.js";
import { moneyText, titleOf } from "../ui/words.js";
import { ProductForm } from "./product-form.js";
import { usualCurrencyQuery } from "./usual-currency.js";

type Product = Api["Product"];

/** The page for a new product. */
export function NewProductPage() {
  const { path } = useSite();
  const currency = useQuery(usualCurrencyQuery(path));
  const system = useSellingShop();
  if (system) {
    return (
      <Page title="Add a product">
        <FromShop system={system} />
      </Page>
    );
  }
  return (
    <Page
      title="Add a product"
      purpose="Agents find it as soon as you save it, and buy it when your shop is ready to sell."
    >
      <OwnersNotice />
      {currency.isSuccess && system === null ? (
        <ProductForm currency={currency.data} />
      ) : (
        <LoadingPage />
      )}
    </Page>
  );
}

/** A product that the shop system decides, and whether agents can buy it. */
function ShopProduct({ product, system }: { readonly product: Product; readonly system: string }) {
  const { path } = useSite();
  const mayChange = useMay("owner");
  const { id, paused, price, quantity, availability, description, image_url, sku } = product;
  const pause = useSave(
    () => call("PATCH", `${path}/products?id=${encodeURIComponent(id)}`, { paused: !paused }),
    "products",
    "processor",
  );
  return (
    <>
      <FromShop system={system} product={product} />
      <Card>
        <Picture url={image_url} className="size-24" />
        <Facts
          rows={[
            ["State", paused && "Paused. Agents cannot find or buy it."],
            ["SKU", sku],
            ["Price", moneyText(price)],
            ["Stock", quantity ?? "Not tracked"],
            ["Availability", titleOf(availability)],
            ["Description", description],
          ]}
        />
        {mayChange && (
          <div>
            <Button disabled={pause.isPending} onClick={() => pause.mutate()}>
              {paused ? "Resume" : "Pause"}
            </Button>
          </div>
        )}
        {pause.isError && <Failure error={pause.error} />}
      </Card>
    </>
  );
}

/** The page to change or remove a product. */
export function ProductPage() {
  const { name, path } = useSite();
  const { id } = useParams({ from: "/shell/$site/products/$id" });
  const system = useSellingShop();
  const product = useQuery({
    queryKey: ["products", path, "one", id],
    queryFn: async () => {
      const { items } = await call<Listed<Product>>("GET", `${path}/products?${queryText({ id })}`);
      return items[0] ?? null;
    },
  });
  if (product.isError) return <Failure error={product.error} />;
  if (!product.isSuccess || system === undefined) return <LoadingPage />;
  if (product.data === null) {
    return (
      <Notice bad>
        This product does not exist.{" "}
        <Link to="/$site/products" params={{ site: name }} className="link">
          Show all products
        </Link>
      </Notice>
    );
  }
  const { title, price } = product.data;
  return (
    <Page title={title}>
      <OwnersNotice />
      {system === null ? (
        <ProductForm product={product.data} currency={price.currency} />
      ) : (
        <ShopProduct product={product.data} system={system} />
      )}
    </Page>
  );
}
