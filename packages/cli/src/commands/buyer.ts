import { writeFileSync } from "node:fs";
import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { counted } from "../counted.js";
import { CommandError, EXIT } from "../exit.js";
import { findSite } from "../find-site.js";
import { card, plainJson, plainText, type Terminal, table } from "../terminal.js";

const FILE_MODE = 0o600;
const DAYS_MAX = 3650;

/** Why something of a buyer is kept, in the words of the console. */
const REASONS: Readonly<Record<string, string>> = {
  payment_open: "the payment is not captured or voided",
  not_sent: "items were not sent",
  on_its_way: "items are on their way",
  money_returning: "a refund or dispute is open",
  notifying: "a message is not delivered yet",
  paying: "a payment or review is in progress",
  open: "the buyer can still buy",
};

interface Needed {
  readonly why: string;
  readonly until: string | null;
}

interface Erasure {
  readonly erased: Readonly<Record<string, number>>;
  readonly kept: readonly (Needed & { readonly kind: string; readonly id: string })[];
}

interface Exported {
  readonly orders: readonly unknown[];
  readonly checkouts: readonly { readonly order_id: string | null }[];
  readonly carts: readonly unknown[];
  readonly is_complete: boolean;
}

interface Retention {
  readonly days: number | null;
}

async function atSite(terminal: Terminal, site: string) {
  const client = adminClient(terminal);
  const { site_key_hash } = await findSite(client, site);
  const path = `/v1/admin/sites/${site_key_hash}/buyers`;
  return <Answer>(method: string, rest: string, body?: unknown) =>
    client.call<Answer>(method, `${path}/${rest}`, body);
}

function exportCommand(buyer: Command, terminal: Terminal): void {
  buyer
    .command("export")
    .argument("<site>", "domain, site key or site key hash")
    .argument("<email>", "email address of the buyer")
    .description("write everything that is stored about a buyer to a file")
    .requiredOption("--out <file>", "new file for the JSON")
    .option("--json", "print JSON")
    .action(async (site: string, email: string, flags: { out: string; json?: boolean }) => {
      const { out, json } = flags;
      const ask = await atSite(terminal, site);
      const all = await ask<Exported>("POST", "export", { email });
      writeFileSync(out, `${JSON.stringify(all, null, 2)}\n`, { mode: FILE_MODE, flag: "wx" });
      const { orders, carts, is_complete } = all;
      const unordered = all.checkouts.filter(({ order_id }) => order_id === null);
      const counts = {
        orders: orders.length,
        checkouts: unordered.length,
        carts: carts.length,
      };
      if (json) return terminal.out(plainJson({ file: out, ...counts, is_complete }));
      const words = [
        counted(counts.orders, "order"),
        counted(counts.checkouts, "checkout"),
        counted(counts.carts, "cart"),
      ];
      terminal.out(`Wrote ${plainText(out)}: ${words.join(", ")}.`);
      if (!is_complete) terminal.err("There is more than one export can contain.");
    });
}

function eraseCommand(buyer: Command, terminal: Terminal): void {
  buyer
    .command("erase")
    .argument("<site>", "domain, site key or site key hash")
    .argument("<email>", "email address of the buyer")
    .description("erase the personal data of a buyer; this cannot be undone")
    .requiredOption("--yes", "confirm the erasure")
    .option("--json", "print JSON")
    .action(async (site: string, email: string, { json }: { json?: boolean }) => {
      const ask = await atSite(terminal, site);
      const done = await ask<Erasure>("POST", "erase", { email });
      if (json) return terminal.out(plainJson(done));
      const counts = Object.entries(done.erased).map(([kind, count]) => [kind, String(count)]);
      terminal.out(card({ ...Object.fromEntries(counts), kept: String(done.kept.length) }));
      if (done.kept.length === 0) return;
      terminal.err("Still needed. It is erased when it ends:");
      const rows = done.kept.map(({ kind, id, why, until }) => ({
        kind,
        id,
        reason: REASONS[why] ?? why,
        until: until ?? "not known",
      }));
      terminal.out(table(rows, ""));
    });
}

function readDays(text: string): number | null {
  if (text === "never") return null;
  const days = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
  if (days <= DAYS_MAX) return days;
  const hint = `Use a number of days from 0 to ${DAYS_MAX}, or never.`;
  throw new CommandError(`${plainText(text)} is not a number of days.`, EXIT.usage, hint);
}

const retentionText = ({ days }: Retention) =>
  days === null
    ? "Buyers' personal data is kept until you erase it."
    : `Buyers' personal data is erased ${counted(days, "day")} after an order has ended.`;

function retentionCommand(buyer: Command, terminal: Terminal): void {
  buyer
    .command("retention")
    .argument("<site>", "domain, site key or site key hash")
    .argument("[days]", "days after an order has ended, or never")
    .description("show or set how long buyers' personal data is kept")
    .option("--json", "print JSON")
    .action(async (site: string, text: string | undefined, { json }: { json?: boolean }) => {
      const ask = await atSite(terminal, site);
      const setting =
        text === undefined
          ? await ask<Retention>("GET", "retention")
          : await ask<Retention>("PUT", "retention", { days: readDays(text) });
      terminal.out(json ? plainJson(setting) : retentionText(setting));
    });
}

export function buyerCommands(program: Command, terminal: Terminal): void {
  const buyer = program.command("buyer").description("personal data of buyers");
  exportCommand(buyer, terminal);
  eraseCommand(buyer, terminal);
  retentionCommand(buyer, terminal);
}
