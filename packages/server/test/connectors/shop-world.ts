import type { ManualClock } from "../../src/infra/clock.ts";
import { createSite, type DATABASES, type TestServer } from "../harness.ts";
import type { Shop } from "../mandates/submitting.ts";
import { openWorld, type World } from "../ucp/buying.ts";
import { ShopStandIn } from "./shop-stand-in.ts";

export interface ShopWorld extends World {
  readonly system: ShopStandIn;
  close(): Promise<void>;
}

/** A server that can reach a shop system. Its jobs run when a test runs them. */
export async function openShopWorld(
  dialect: (typeof DATABASES)[number],
  clock: ManualClock,
  more: Readonly<Record<string, string>> = {},
): Promise<ShopWorld> {
  const system = await ShopStandIn.start(clock);
  const world = await openWorld(dialect, clock, more, [system.host, system.domain]);
  await world.server.context.jobs.stop();
  const close = async () => {
    system.stop();
    await world.close();
  };
  return { ...world, system, close };
}

/** A site that sells nothing yet. */
export async function emptySite(server: TestServer, domain: string): Promise<Shop> {
  const { site_key, site_key_hash } = await createSite(server, domain);
  const base = `/v1/admin/sites/${site_key_hash}`;
  return {
    site_key,
    site_key_hash,
    admin: (method, path, body) => server.admin(method, base + path, body),
  };
}

/** One of the products that a shop system tells of. */
export const productEntry = (id: string, version = 1, fields: object = {}) => ({
  id,
  version,
  title: `Product ${id}`,
  price: "10.00",
  currency: "EUR",
  ...fields,
});
