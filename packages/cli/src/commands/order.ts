import type { Money } from "@gatehouse/protocol";
import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { findSite } from "../find-site.js";
import { moneyText } from "../money-text.js";
import { type Purchase, purchaseLines } from "../purchase.js";
import { card, plainJson, type Terminal, table } from "../terminal.js";

interface OrderBody {
  readonly order_id: string;
  readonly agent_id: string;
  readonly skill: string;
  readonly protocol: string;
  readonly mandate_id: string | null;
  readonly decision_id: string;
  readonly attempt_id: string;
  readonly items: readonly {
    readonly id: string;
    readonly title: string;
    readonly quantity: number;
    readonly unit_minor: number;
  }[];
  readonly amount: Money;
  readonly payment: string;
  readonly lapses_at: string | null;
  readonly captured_minor: number | null;
  readonly created_at: string;
  readonly checkout_id: string | null;
  /** Of one that is shown by itself. */
  readonly purchase?: Purchase | null;
}

/** What became of the money, and what of it there is to do. */
function paymentText({ payment, lapses_at, captured_minor: minor, amount }: OrderBody): string {
  if (payment === "authorized" && lapses_at !== null) return `authorized, lapses ${lapses_at}`;
  if (minor === null || minor === amount.minor) return payment;
  return `${payment}: ${moneyText({ minor, currency: amount.currency })}`;
}

const linesOf = ({ items, amount: { currency } }: OrderBody) =>
  items.map(
    ({ quantity, title, id, unit_minor }) =>
      `${quantity} × ${title} (${id}), ${moneyText({ minor: unit_minor, currency })} each`,
  );

export function orderCommands(program: Command, terminal: Terminal): void {
  const order = program.command("order").description("what agents bought");
  order
    .command("list")
    .argument("<site>", "its domain, key or hash")
    .description("list orders, the newest first")
    .option("--json", "print JSON")
    .action(async (text: string, { json }: { json?: boolean }) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const items: OrderBody[] = [];
      const path = `/v1/admin/sites/${site_key_hash}/orders?limit=200`;
      for await (const one of client.pages<OrderBody>(path)) items.push(one);
      if (json) return terminal.out(plainJson({ items }));
      if (items.length === 0) return terminal.out("Nothing was ordered yet.");
      const rows = items.map((one) => ({
        ...{ created_at: one.created_at, order_id: one.order_id, amount: moneyText(one.amount) },
        items: one.items.map(({ quantity, id }) => `${quantity} × ${id}`).join(", "),
        ...{ payment: paymentText(one), protocol: one.protocol, agent_id: one.agent_id },
      }));
      terminal.out(table(rows));
    });

  order
    .command("show")
    .argument("<site>", "its domain, key or hash")
    .argument("<order_id>", "the id `order list` shows")
    .description("show an order")
    .option("--json", "print JSON")
    .action(async (text: string, id: string, { json }: { json?: boolean }) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const path = `/v1/admin/sites/${site_key_hash}/orders/${encodeURIComponent(id)}`;
      const one = await client.callAbout<OrderBody>("There is no such order.", "GET", path);
      if (json) return terminal.out(plainJson(one));
      terminal.out(
        card({
          ...{ order_id: one.order_id, created_at: one.created_at, amount: moneyText(one.amount) },
          ...{ payment: paymentText(one), attempt_id: one.attempt_id, agent_id: one.agent_id },
          ...{ skill: one.skill, protocol: one.protocol },
          ...(one.mandate_id === null ? {} : { mandate_id: one.mandate_id }),
          ...(one.checkout_id === null ? {} : { checkout_id: one.checkout_id }),
          decision_id: one.decision_id,
          ...purchaseLines(one.purchase, one.amount.currency),
          items: linesOf(one).join("\n"),
        }),
      );
      if (one.mandate_id === null) return;
      terminal.err(`Why it was approved: gatehouse mandate show ${text} ${one.mandate_id}`);
    });
}
