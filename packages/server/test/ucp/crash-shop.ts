import type { NodeProcess } from "../audit/node-process.ts";
import { PRODUCTS } from "../selling/selling.ts";
import { CHECKOUT_POLICY, SHOP } from "./buying.ts";

/** A shop of a service in a process of its own, that sells to every caller. */
export async function openShop(
  node: NodeProcess,
  {
    roses = 50,
    domain = "shop.example",
  }: { readonly roses?: number; readonly domain?: string } = {},
): Promise<{ readonly site_key_hash: string }> {
  const json = async (method: string, path: string, body: unknown) =>
    (await (await node.admin(method, path, body)).json()) as { readonly site_key_hash: string };
  const shop = await json("POST", "/v1/admin/sites", { domain, name: "Shop" });
  const path = `/v1/admin/sites/${shop.site_key_hash}`;
  await json("POST", `${path}/verify`, { method: "operator", reason: "a test" });
  await json("PUT", `${path}/policy`, CHECKOUT_POLICY);
  await json("PUT", `${path}/processor`, { kind: "sandbox", rail_on: true, settles: true });
  const products = PRODUCTS.map((one) => (one.id === "rose" ? { ...one, quantity: roses } : one));
  await json("PUT", `${path}/products`, { products });
  await json("PUT", `${path}/shop`, { ...SHOP, allow_unsigned: true });
  return shop;
}
