import type { AdminClient } from "./admin-client.js";
import { CommandError, EXIT } from "./exit.js";
import { findSite } from "./find-site.js";
import { queryOf } from "./list-query.js";
import type { OrderBody } from "./order-text.js";

export const noOrder = (site: string) => ({
  says: "There is no such order.",
  hint: `\`gatehouse order list ${site}\` lists the orders.`,
});

const NUMBER = /^#?(\d{1,9})$/;

/** The path of an order that a person names by its number, such as `1042` or `#1042`, or by its id. */
export async function findOrder(client: AdminClient, site: string, name: string): Promise<string> {
  const { site_key_hash } = await findSite(client, site);
  const path = `/v1/admin/sites/${site_key_hash}/orders`;
  const number = NUMBER.exec(name)?.[1];
  if (number === undefined) return `${path}/${encodeURIComponent(name)}`;
  const query = queryOf({ number });
  const { items } = await client.call<{ items: readonly OrderBody[] }>("GET", path + query);
  const { says, hint } = noOrder(site);
  if (items[0] === undefined) throw new CommandError(says, EXIT.failed, hint);
  return `${path}/${items[0].order_id}`;
}
