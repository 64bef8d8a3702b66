import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { type Api, call, type Page as Listed } from "../api/client.js";
import { queryText } from "../api/list.js";
import { OwnersNotice } from "../layout/owners-only.js";
import { useSite } from "../layout/sites.js";
import { useSellingShop } from "../settings/shop-connection.js";
import { LoadingPage } from "../ui/loading.js";
import { Failure, Notice } from "../ui/notice.js";
import { Page } from "../ui/page.js";
import { FromShop, ShopProduct } from "./from-shop.js";
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
