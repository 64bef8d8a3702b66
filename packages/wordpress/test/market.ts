import { expect } from "vitest";
import type { TestServer } from "../../server/test/harness.ts";
import type { Shop } from "../../server/test/mandates/submitting.ts";
import { CHECKOUT_POLICY } from "../../server/test/ucp/buying.ts";
import type { WordPress } from "./wordpress.ts";

/** Where the parcels of the tests go. */
export const BERLIN = {
  street_address: "Invalidenstr. 1",
  address_locality: "Berlin",
  address_region: "BE",
  postal_code: "10115",
  address_country: "DE",
  first_name: "Ada",
  last_name: "Love",
};

/** The way of delivery of the kit's shop. */
export const FLAT_RATE = "flat_rate:1";

/** A site for a shop, which its owner has not connected yet. */
export async function newShop(server: Pick<TestServer, "admin">, domain: string): Promise<Shop> {
  const made = await server.admin("POST", "/v1/admin/sites", { domain, name: domain });
  const { site_key, site_key_hash } = made.body;
  const admin = (method: string, path: string, body?: unknown) =>
    server.admin(method, `/v1/admin/sites/${site_key_hash}${path}`, body);
  return { site_key, site_key_hash, admin };
}

/** What an owner enters in the plugin; `address` stands in for the address of Gatehouse. */
export async function connectCode({ admin }: Shop, address?: string): Promise<string> {
  const { connect_code } = (await admin("POST", "/shop-connection/codes", {})).body;
  if (address === undefined) return connect_code;
  const { code } = JSON.parse(Buffer.from(connect_code.slice(4), "base64url").toString());
  return `ghc_${Buffer.from(JSON.stringify({ url: address, code })).toString("base64url")}`;
}

/** Switches selling on, in everything that a shop system does not decide. */
export async function openForAgents({ admin }: Shop, shop: object = {}): Promise<void> {
  const skills = [{ id: "place_order", enabled: true }];
  const settings = [
    ["/skills", { skills }],
    ["/policy", CHECKOUT_POLICY],
    ["/processor", { kind: "sandbox", rail_on: true, settles: true }],
    ["/shop", shop],
  ] as const;
  for (const [path, body] of settings) {
    const { status, body: said } = await admin("PUT", path, body);
    expect([path, status, status < 300 ? undefined : said]).toEqual([path, 200, undefined]);
  }
}

/** Connects a shop, and sends its products. */
export async function connectShop(
  shop: Shop,
  wordpress: WordPress,
  address?: string,
): Promise<void> {
  const said = await wordpress.command("connect", {}, await connectCode(shop, address));
  expect(said).toContain("Success: Connected");
  await wordpress.work("gatehouse_full_sync");
}
