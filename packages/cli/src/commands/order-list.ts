import type { Command } from "commander";
import { type AdminClient, adminClient } from "../admin-client.js";
import { choice } from "../choice.js";
import { findSite } from "../find-site.js";
import { listQuery } from "../list-query.js";
import { moneyText } from "../money-text.js";
import { type OrderBody, paymentText } from "../order-text.js";
import { type ShopDays, shopSpan, withShopDays } from "../shop-days.js";
import { plainJson, type Terminal, table } from "../terminal.js";

const STATUSES = ["open", "partly_shipped", "shipped", "cancelled", "refunded", "partly_refunded"];
const PAYMENT_STATES = ["authorized", "captured", "released", "lapsed"];

interface ListFlags extends ShopDays {
  readonly status?: string;
  readonly payment?: string;
  readonly agent?: string;
  readonly buyer?: string;
  readonly json?: boolean;
}

interface ListedOrder extends OrderBody {
  readonly buyer_name: string | null;
}

/** The pages of a list. A buyer is named in a body, because URLs are logged. */
async function listed(client: AdminClient, path: string, flags: ListFlags) {
  const { status, payment, agent: agent_id, buyer } = flags;
  const filter = { status, payment, agent_id, ...(await shopSpan(client, path, flags)) };
  const items: ListedOrder[] = [];
  const pages =
    buyer === undefined
      ? client.pages<ListedOrder>(`${path}/orders${listQuery(filter)}`)
      : client.pages<ListedOrder>(`${path}/orders/search`, { ...filter, buyer });
  for await (const one of pages) items.push(one);
  return items;
}

const rowOf = (one: ListedOrder) => ({
  order: `#${one.number}`,
  created_at: one.created_at,
  amount: moneyText(one.amount),
  items: one.items.map(({ quantity, id }) => `${quantity} × ${id}`).join(", "),
  status: one.status,
  payment: paymentText(one),
  protocol: one.protocol,
  agent_id: one.agent_id,
  order_id: one.order_id,
});

export function orderListCommand(order: Command, terminal: Terminal): void {
  const command = order
    .command("list")
    .argument("<site>", "domain, site key or site key hash")
    .description("list orders, newest first")
    .addOption(
      choice("--status <status>", "only orders in this state of shipment or refund", STATUSES),
    )
    .addOption(choice("--payment <state>", "only orders with this payment state", PAYMENT_STATES))
    .option("--agent <id>", "only orders of this agent id, or this platform profile")
    .option("--buyer <buyer>", "only orders of this email address, or these words of a name");
  withShopDays(command)
    .option("--json", "print JSON")
    .action(async (text: string, flags: ListFlags) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const items = await listed(client, `/v1/admin/sites/${site_key_hash}`, flags);
      const { json, ...filter } = flags;
      if (json) return terminal.out(plainJson({ items }));
      const none =
        Object.keys(filter).length > 0
          ? `No orders match. List all: gatehouse order list ${text}`
          : `No orders yet. Check whether agents can buy: gatehouse site gates ${text}`;
      terminal.out(table(items.map(rowOf), none));
    });
}
