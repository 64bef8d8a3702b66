import { endOfDay, startOfDay } from "@gatehouse/protocol";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { AdminClient } from "./admin-client.js";
import { CommandError, EXIT } from "./exit.js";

/** The first and the last day of a list, or moments. */
export interface ShopDays {
  readonly from?: string;
  readonly until?: string;
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

function readDay(text: string): string {
  const isTime = TIME.test(text) && !Number.isNaN(Date.parse(text));
  if (isTime || startOfDay(text, "UTC") !== undefined) return text;
  throw new InvalidArgumentError("Use 2030-05-17 or 2030-05-17T12:30:00Z (UTC).");
}

const option = (flags: string, description: string) =>
  new Option(flags, description).argParser(readDay);

export function withShopDays(command: Command): Command {
  return command
    .addOption(option("--from <day>", "first day, in the time zone of the shop, or a time (UTC)"))
    .addOption(option("--until <day>", "last day, in the time zone of the shop, or a time (UTC)"));
}

/** What the service is asked for. `path` is the one of the site. A shop without a time zone has this machine's. */
export async function shopSpan(client: AdminClient, path: string, { from, until }: ShopDays) {
  if (from === undefined && until === undefined) return {};
  const shop = await client.call<{ time_zone: string | null }>("GET", `${path}/shop`);
  const zone = shop.time_zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const at = (text: string | undefined, bound: typeof startOfDay) =>
    text === undefined ? undefined : (bound(text, zone) ?? Date.parse(text));
  const [start, end] = [at(from, startOfDay), at(until, endOfDay)];
  if (start !== undefined && end !== undefined && start >= end) {
    const hint = "Swap them: --from is the earlier day, --until the later one.";
    throw new CommandError("--from must be before --until.", EXIT.usage, hint);
  }
  const iso = (ms: number | undefined) => (ms === undefined ? ms : new Date(ms).toISOString());
  return { from: iso(start), to: iso(end) };
}
