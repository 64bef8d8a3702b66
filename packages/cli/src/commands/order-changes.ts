import { type Command, InvalidArgumentError } from "commander";
import { choice, choiceArgument } from "../choice.js";
import { changing, minorOf, orderAt, show } from "../order-command.js";
import { owedMinor, type ShownOrderBody } from "../order-text.js";
import { plainJson, type Terminal } from "../terminal.js";

interface LineQuantity {
  readonly id: string;
  readonly quantity: number;
}

/** `li_1` for one piece of a line, `li_1=2` for two. */
function readLine(text: string, before: readonly LineQuantity[] = []): readonly LineQuantity[] {
  const [, id, count = "1"] = /^(li_\d{1,4})(?:=(\d{1,7}))?$/.exec(text) ?? [];
  if (id === undefined)
    throw new InvalidArgumentError("Use li_1 for the whole line, or li_1=2 for two pieces.");
  return [...before, { id, quantity: Number(count) }];
}

interface ShipFlags {
  readonly line?: readonly LineQuantity[];
  readonly type?: string;
  readonly carrier?: string;
  readonly trackingNumber?: string;
  readonly trackingUrl?: string;
  readonly say?: string;
  readonly json?: boolean;
}

const TYPES = [
  "processing",
  "shipped",
  "in_transit",
  "delivered",
  "failed_attempt",
  "undeliverable",
  "returned_to_sender",
];
const SANDBOX_EVENTS = ["capture", "refund", "dispute", "win_dispute", "lose_dispute", "lapse"];

function shipCommand(order: Command, terminal: Terminal): void {
  changing(order, "ship")
    .description("report a shipment or its progress; the platform and the buyer are notified")
    .option(
      "--line <line...>",
      "lines, such as li_1 or li_1=2 (default: everything left)",
      readLine,
    )
    .addOption(choice("--type <type>", "what happened (default: shipped)", TYPES))
    .option("--carrier <name>", "name of the carrier")
    .option("--tracking-number <number>", "tracking number of the carrier")
    .option("--tracking-url <url>", "tracking page")
    .option("--say <words>", "message to the buyer and the platform")
    .action(async (site: string, id: string, flags: ShipFlags) => {
      const { ask } = await orderAt(terminal, site, id);
      const shown = await ask<ShownOrderBody>("POST", "/ship", {
        type: flags.type,
        line_items: flags.line,
        carrier: flags.carrier,
        tracking_number: flags.trackingNumber,
        tracking_url: flags.trackingUrl,
        description: flags.say,
      });
      show(terminal, shown, flags.json);
    });
}

interface CancelFlags {
  readonly line?: readonly LineQuantity[];
  readonly reason?: string;
  readonly json?: boolean;
}

function cancelCommand(order: Command, terminal: Terminal): void {
  changing(order, "cancel")
    .description(
      "cancel items that were not sent yet; if nothing is left, the authorization is voided",
    )
    .option(
      "--line <line...>",
      "lines, such as li_1 or li_1=2 (default: everything left)",
      readLine,
    )
    .option("--reason <words>", "message to the buyer and the platform")
    .action(async (site: string, id: string, { line, reason, json }: CancelFlags) => {
      const { ask } = await orderAt(terminal, site, id);
      const shown = await ask<ShownOrderBody>("POST", "/cancel", { line_items: line, reason });
      show(terminal, shown, json);
      if (shown.payment === "captured") {
        terminal.err("The payment was already captured. Refund it: gatehouse order refund");
      }
    });
}

function noteCommand(order: Command, terminal: Terminal): void {
  changing(order, "note")
    .argument("<text>", "text of the note")
    .description("add a note to an order, for your team only")
    .action(async (site: string, id: string, text: string, { json }: { json?: boolean }) => {
      const { ask } = await orderAt(terminal, site, id);
      const note = await ask<{ note_id: string }>("POST", "/notes", { text });
      terminal.out(json ? plainJson(note) : "Note added.");
    });
}

interface SimulateFlags {
  readonly amount?: string;
  readonly json?: boolean;
}

function simulateCommand(order: Command, terminal: Terminal): void {
  changing(order, "simulate")
    .addArgument(choiceArgument("<event>", "event to simulate", SANDBOX_EVENTS))
    .description("simulate what happens at a payment provider; only for sandbox orders")
    .option(
      "--amount <amount>",
      "amount of a capture, refund or dispute (default: what the buyer owes for a capture, otherwise the captured amount)",
    )
    .action(async (site: string, id: string, event: string, { amount, json }: SimulateFlags) => {
      const { ask } = await orderAt(terminal, site, id);
      const before = await ask<ShownOrderBody>("GET", "");
      const owed = event === "capture" ? owedMinor(before) : 0;
      // Nothing is owed for an order that was cancelled: the service says what is wrong with it.
      const amount_minor = minorOf(amount, before) ?? (owed > 0 ? owed : undefined);
      show(terminal, await ask<ShownOrderBody>("POST", "/rehearse", { event, amount_minor }), json);
    });
}

/** `order ship`, `cancel`, `note` and `simulate`. */
export function orderChangeCommands(order: Command, terminal: Terminal): void {
  shipCommand(order, terminal);
  cancelCommand(order, terminal);
  noteCommand(order, terminal);
  simulateCommand(order, terminal);
}
