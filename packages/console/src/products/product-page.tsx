import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type Api, call, type Page as Listed } from "../api/client.js";
import { useSite } from "../layout/sites.js";
import { Loading } from "../ui/loading.js";
import { Failure, Notice } from "../ui/notice.js";
import { Page } from "../ui/page.js";
import { ProductForm } from "./product-form.js";
import { usualCurrencyQuery } from "./usual-currency.js";

type Product = Api["Product"];

/** The page for a new product. */
export function NewProductPage() {
  const { path } = useSite();
  const currency = useQuery(usualCurrencyQuery(path));
  return (
    <Page title="Add a product" about="Agents can find and buy it as soon as you save it.">
      {currency.isSuccess && <ProductForm currency={currency.data} />}
    </Page>
  );
}

/** The page to change or remove a product. */
export function ProductPage() {
  const { path } = useSite();
  const { id } = useParams({ from: "/shell/$site/products/$id" });
  const product = useQuery({
    queryKey: ["products", path, "one", id],
    queryFn: async () => {
      const query = new URLSearchParams({ q: id, limit: "200" });
      const { items } = await call<Listed<Product>>("GET", `${path}/products?${query}`);
      return items.find((one) => one.id === id) ?? null;
    },
  });
  if (product.isError) return <Failure error={product.error} />;
  if (!product.isSuccess) return <Loading />;
  if (product.data === null) return <Notice bad>This product does not exist.</Notice>;
  const { title, price, changed_at } = product.data;
  return (
    <Page title={title}>
      <ProductForm key={changed_at} product={product.data} currency={price.currency} />
    </Page>
  );
}
