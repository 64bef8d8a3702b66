import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { choice } from "../choice.js";
import { findOrder, noOrder } from "../find-order.js";
import { findSite } from "../find-site.js";
import { listQuery } from "../list-query.js";
import { moneyText } from "../money-text.js";
import { type OrderBody, orderCard, paymentText, type ShownOrderBody } from "../order-text.js";
import { card, plainJson, type Terminal, table } from "../terminal.js";
import { orderChangeCommands } from "./order-changes.js";
import { orderPaymentCommands } from "./order-payments.js";

const STATUSES = ["open", "partly_shipped", "shipped", "cancelled"];
const PAYMENT_STATES = ["authorized", "captured", "released", "lapsed"];

interface ListFlags {
  readonly status?: string;
  readonly payment?: string;
  readonly agent?: string;
  readonly json?: boolean;
}

function listCommand(order: Command, terminal: Terminal): void {
  order
    .command("list")
    .argument("<site>", "domain, site key or site key hash")
    .description("list orders, newest first")
    .addOption(choice("--status <status>", "only orders with this status", STATUSES))
    .addOption(choice("--payment <state>", "only orders with this payment state", PAYMENT_STATES))
    .option("--agent <id>", "only orders of this agent id, or this platform profile")
    .option("--json", "print JSON")
    .action(async (text: string, { json, status, payment, agent }: ListFlags) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const items: OrderBody[] = [];
      const query = listQuery({ status, payment, agent_id: agent });
      const path = `/v1/admin/sites/${site_key_hash}/orders${query}`;
      for await (const one of client.pages<OrderBody>(path)) items.push(one);
      if (json) return terminal.out(plainJson({ items }));
      const rows = items.map((one) => ({
        order: `#${one.number}`,
        created_at: one.created_at,
        amount: moneyText(one.amount),
        items: one.items.map(({ quantity, id }) => `${quantity} × ${id}`).join(", "),
        status: one.status,
        payment: paymentText(one),
        protocol: one.protocol,
        agent_id: one.agent_id,
        order_id: one.order_id,
      }));
      const filtered = [status, payment, agent].some((said) => said !== undefined);
      const none = filtered
        ? `No orders match. List all: gatehouse order list ${text}`
        : `No orders yet. Check whether agents can buy: gatehouse site gates ${text}`;
      terminal.out(table(rows, none));
    });
}

export function orderCommands(program: Command, terminal: Terminal): void {
  const order = program.command("order").description("orders of agents");
  listCommand(order, terminal);
  order
    .command("show")
    .argument("<site>", "domain, site key or site key hash")
    .argument("<order>", "number or id from `order list`")
    .description("show an order, its history, and who was notified")
    .option("--json", "print JSON")
    .action(async (text: string, id: string, { json }: { json?: boolean }) => {
      const client = adminClient(terminal);
      const path = await findOrder(client, text, id);
      const one = await client.callAbout<ShownOrderBody>(noOrder(text), "GET", path);
      if (json) return terminal.out(plainJson(one));
      terminal.out(card(orderCard(one)));
      const why = one.mandate_id ?? one.decision_id;
      terminal.err(`See why it was approved: gatehouse mandate show ${text} ${why}`);
    });
  orderChangeCommands(order, terminal);
  orderPaymentCommands(order, terminal);
}
