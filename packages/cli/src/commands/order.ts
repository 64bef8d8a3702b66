import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { choice } from "../choice.js";
import { findSite } from "../find-site.js";
import { listQuery } from "../list-query.js";
import { moneyText } from "../money-text.js";
import {
  noOrder,
  type OrderBody,
  orderCard,
  paymentText,
  type ShownOrderBody,
} from "../order-text.js";
import { card, plainJson, type Terminal, table } from "../terminal.js";
import { orderChangeCommands } from "./order-changes.js";

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
    .argument("<site>", "its domain, key or hash")
    .description("list orders, the newest first")
    .addOption(choice("--status <status>", "only these", STATUSES))
    .addOption(choice("--payment <state>", "only those whose money is", PAYMENT_STATES))
    .option("--agent <id>", "only those of one agent, or of a platform by its profile")
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
        created_at: one.created_at,
        order_id: one.order_id,
        amount: moneyText(one.amount),
        items: one.items.map(({ quantity, id }) => `${quantity} × ${id}`).join(", "),
        status: one.status,
        payment: paymentText(one),
        protocol: one.protocol,
        agent_id: one.agent_id,
      }));
      const filtered = [status, payment, agent].some((said) => said !== undefined);
      const none = filtered
        ? `There are no such orders. All of them: gatehouse order list ${text}`
        : `Nothing was ordered yet. Whether agents can buy: gatehouse site gates ${text}`;
      terminal.out(table(rows, none));
    });
}

export function orderCommands(program: Command, terminal: Terminal): void {
  const order = program.command("order").description("what agents bought, and what became of it");
  listCommand(order, terminal);
  order
    .command("show")
    .argument("<site>", "its domain, key or hash")
    .argument("<order_id>", "the id `order list` shows")
    .description("show an order, its history, and who was notified")
    .option("--json", "print JSON")
    .action(async (text: string, id: string, { json }: { json?: boolean }) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const path = `/v1/admin/sites/${site_key_hash}/orders/${encodeURIComponent(id)}`;
      const one = await client.callAbout<ShownOrderBody>(noOrder(text), "GET", path);
      if (json) return terminal.out(plainJson(one));
      terminal.out(card(orderCard(one)));
      const why = one.mandate_id ?? one.decision_id;
      terminal.err(`Why it was approved: gatehouse mandate show ${text} ${why}`);
    });
  orderChangeCommands(order, terminal);
}
