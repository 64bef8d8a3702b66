import { parseAmount } from "@gatehouse/protocol";
import type { Command } from "commander";
import { adminClient } from "./admin-client.js";
import { CommandError, EXIT } from "./exit.js";
import { findOrder, noOrder } from "./find-order.js";
import { orderCard, type ShownOrderBody } from "./order-text.js";
import { card, plainJson, type Terminal } from "./terminal.js";

/** The order that a person names, and how to ask the service about it. */
export async function orderAt(terminal: Terminal, site: string, name: string) {
  const client = adminClient(terminal);
  const path = await findOrder(client, site, name);
  const ask = <Answer>(method: string, rest: string, body?: unknown) =>
    client.callAbout<Answer>(noOrder(site), method, `${path}${rest}`, body);
  return { ask };
}

/** A command about one order, which is shown afterwards. */
export function changing(order: Command, name: string) {
  return order
    .command(name)
    .argument("<site>", "domain, site key or site key hash")
    .argument("<order>", "number or id from `order list`")
    .option("--json", "print JSON");
}

/** Prints an order after a change. */
export function show(terminal: Terminal, order: ShownOrderBody, json: boolean | undefined): void {
  terminal.out(json ? plainJson(order) : card(orderCard(order)));
}

/** An amount in the currency of the order. */
export function minorOf(text: string | undefined, { amount }: ShownOrderBody): number | undefined {
  if (text === undefined) return undefined;
  const money = parseAmount(text, amount.currency);
  if (money.ok) return money.value.minor;
  const hint = `Use an amount in ${amount.currency}, such as 4.90.`;
  throw new CommandError(`--amount: ${money.detail}.`, EXIT.usage, hint);
}
