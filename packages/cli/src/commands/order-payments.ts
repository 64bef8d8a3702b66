import type { Command } from "commander";
import { changing, minorOf, orderAt, show } from "../order-command.js";
import type { ShownOrderBody } from "../order-text.js";
import type { Terminal } from "../terminal.js";

interface ChangeFlags {
  readonly amount?: string;
  readonly reason?: string;
  readonly json?: boolean;
}

const WAITS =
  "The payment provider has not answered yet. `gatehouse order show` shows the outcome.";

/** Asks for a capture or refund. The revision makes sure that a repeated command does nothing twice. */
async function change(
  terminal: Terminal,
  { site, id, verb }: { readonly site: string; readonly id: string; readonly verb: string },
  { amount, reason, json }: ChangeFlags,
): Promise<void> {
  const { ask } = await orderAt(terminal, site, id);
  const before = await ask<ShownOrderBody>("GET", "");
  const amount_minor = minorOf(amount, before);
  const sent = { amount_minor, reason, revision: before.revision };
  const after = await ask<ShownOrderBody>("POST", `/${verb}`, sent);
  show(terminal, after, json);
  if (after.payment_facts?.changes.at(-1)?.status === "unknown") terminal.err(WAITS);
}

/** `order capture` and `refund`. */
export function orderPaymentCommands(order: Command, terminal: Terminal): void {
  changing(order, "capture")
    .description("capture the payment of an order; the rest of the authorization is voided")
    .option("--amount <amount>", "amount (default: what the buyer owes)")
    .action((site: string, id: string, flags: ChangeFlags) =>
      change(terminal, { site, id, verb: "capture" }, flags),
    );
  changing(order, "refund")
    .description("refund a captured payment, in full or in part")
    .option("--amount <amount>", "amount (default: all that is left)")
    .option("--reason <words>", "message to the buyer")
    .action((site: string, id: string, flags: ChangeFlags) =>
      change(terminal, { site, id, verb: "refund" }, flags),
    );
}
