import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { findOrder, noOrder } from "../find-order.js";
import { orderCard, type ShownOrderBody } from "../order-text.js";
import { card, plainJson, type Terminal } from "../terminal.js";
import { orderChangeCommands } from "./order-changes.js";
import { orderListCommand } from "./order-list.js";
import { orderPaymentCommands } from "./order-payments.js";

export function orderCommands(program: Command, terminal: Terminal): void {
  const order = program.command("order").description("orders of agents");
  orderListCommand(order, terminal);
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
