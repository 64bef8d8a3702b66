import { type Command, InvalidArgumentError, Option } from "commander";
import { CommandError, EXIT } from "./exit.js";

/** Two moments between which something happened; the second does not belong to it. */
export interface Span {
  readonly from?: string;
  readonly to?: string;
}

/** A time, or a day, as the service takes it. */
function readTime(text: string): string {
  const day = /^\d{4}-\d\d-\d\d$/.test(text);
  const time = day ? `${text}T00:00:00Z` : text;
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time) && !Number.isNaN(Date.parse(time))) return time;
  throw new InvalidArgumentError("Use 2030-05-17 or 2030-05-17T12:30:00Z (UTC).");
}

export function withSpan(command: Command): Command {
  return command
    .addOption(new Option("--from <time>", "start time (UTC)").argParser(readTime))
    .addOption(new Option("--to <time>", "end time (UTC)").argParser(readTime));
}

/** The span that was said, in its order. */
export function spanOf({ from, to }: Span) {
  if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to)) {
    const hint = "Swap them: --from is the earlier time, --to the later one.";
    throw new CommandError("--from must be before --to.", EXIT.usage, hint);
  }
  return { from, to };
}

/** How to see more than the newest. */
export function olderHint(shown: number, last: string | undefined): string {
  return `Only the newest ${shown} are shown. To see older ones, use --to ${last}`;
}
