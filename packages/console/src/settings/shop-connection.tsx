import { queryOptions, useQuery } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";
import { useMay, useSite } from "../layout/sites.js";
import { Notice } from "../ui/notice.js";

export type ShopConnection = Api["ShopConnection"];

/** Where the products of a site come from, for everybody who can see them. */
export const productSourceQuery = (path: string) =>
  queryOptions({
    queryKey: ["products", path, "source"],
    queryFn: () => call<Api["ProductSource"]>("GET", `${path}/products/source`),
  });

/** The connection to a shop system; null if there is none. It is only asked for if there is one. */
export const shopConnectionQuery = (path: string) =>
  queryOptions({
    queryKey: ["shop-connection", path],
    queryFn: async ({ client }) => {
      const { shop_system } = await client.fetchQuery(productSourceQuery(path));
      return shop_system && call<ShopConnection>("GET", `${path}/shop-connection`);
    },
  });

/** The shop system that decides the products, or null. Undefined until that is known. */
export function useSellingShop(): string | null | undefined {
  const { path } = useSite();
  const { data, isError } = useQuery(productSourceQuery(path));
  // The service refuses what must not be changed.
  if (data === undefined) return isError ? null : undefined;
  return data.shop_system?.sells ? data.shop_system.name : null;
}

/** Says that products are managed in the shop system, and leads there. */
export function FromShop({
  system,
  product,
}: {
  readonly system: string;
  readonly product?: Api["Product"];
}) {
  const { site } = useSite();
  const mayPause = useMay("owner");
  return (
    <Notice>
      Your products come from {system}. Change them in your shop.{" "}
      {mayPause && "Here you can only pause them. "}
      <a
        href={product?.url ?? `https://${site.domain}/`}
        target="_blank"
        rel="noreferrer"
        className="link"
      >
        Open your shop
      </a>
    </Notice>
  );
}
