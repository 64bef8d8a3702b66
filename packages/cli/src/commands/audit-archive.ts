import type { Command } from "commander";
import { type AdminClient, adminClient } from "../admin-client.js";
import { logPath } from "../audit/log-path.js";
import { counted } from "../counted.js";
import { CommandError, EXIT } from "../exit.js";
import type { SiteBody } from "../find-site.js";
import { PROGRESS, type ProgressFlags, type Step, withProgress } from "../progress.js";
import { plainJson, type Terminal, table } from "../terminal.js";
import { DAY_MS } from "../time.js";

const KEEP_DAYS_MAX = 3650;

interface DueDay {
  readonly chain: string;
  readonly day: string;
  readonly records: number;
}

interface ArchiveStep {
  readonly due: readonly DueDay[];
  readonly archived: DueDay | null;
  readonly running: (DueDay & { readonly written: number }) | null;
}

interface ArchiveFlags extends ProgressFlags {
  readonly before?: string;
  readonly keepDays?: string;
  readonly site?: string;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** The day before which days are archived. */
function readBefore({ before, keepDays }: ArchiveFlags): string {
  if ((before === undefined) === (keepDays === undefined)) {
    const hint = "For example: gatehouse audit archive --keep-days 90";
    throw new CommandError("Use either --before or --keep-days.", EXIT.usage, hint);
  }
  if (before !== undefined) return before;
  const days = Number(keepDays);
  if (!Number.isInteger(days) || days < 1 || days > KEEP_DAYS_MAX) {
    const hint = `Use a number of days from 1 to ${KEEP_DAYS_MAX}.`;
    throw new CommandError(`--keep-days: ${keepDays} is not a number of days.`, EXIT.usage, hint);
  }
  return new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);
}

/** The archive routes of one site, or of all sites and the installation. */
async function archivePaths(terminal: Terminal, client: AdminClient, site?: string) {
  if (site !== undefined) return [await logPath(terminal, site, "archives")];
  const paths = [await logPath(terminal, "installation", "archives")];
  type Page = { items: SiteBody[]; next_cursor?: string };
  for (let cursor: string | undefined = ""; cursor !== undefined; ) {
    const after: string = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Page = await client.call("GET", `/v1/admin/sites?limit=200${after}`);
    for (const { site_key_hash } of page.items) {
      paths.push(`/v1/admin/sites/${site_key_hash}/audit/archives`);
    }
    cursor = page.next_cursor;
  }
  return paths;
}

const recordsOf = (days: readonly DueDay[]) => days.reduce((sum, { records }) => sum + records, 0);

/** Days of one site's logs. */
interface Plan {
  readonly path: string;
  readonly days: readonly DueDay[];
}

async function planOf(client: AdminClient, path: string, before: string): Promise<Plan> {
  const body = { before, dry_run: true };
  return { path, days: (await client.call<ArchiveStep>("POST", path, body)).due };
}

/**
 * Archives a site's days, one after the other; the service says how far it is. Also where nothing
 * is due: an earlier run may have been cut off before its rows were deleted.
 */
async function archivePlan(
  client: AdminClient,
  { path, days }: Plan,
  before: string,
  onDone: (records: number, day: string | undefined) => void,
): Promise<void> {
  for (;;) {
    const { due, archived, running } = await client.call<ArchiveStep>("POST", path, { before });
    const left = recordsOf(due) + (running === null ? 0 : running.records - running.written);
    onDone(recordsOf(days) - left, (running ?? archived)?.day);
    if (due.length === 0 && running === null) return;
  }
}

async function archivePlans(
  client: AdminClient,
  plans: readonly Plan[],
  before: string,
  show: (step: Step) => void,
): Promise<void> {
  const total = recordsOf(plans.flatMap(({ days }) => days));
  let finished = 0;
  for (const plan of plans) {
    await archivePlan(client, plan, before, (records, part) => {
      show({ unit: "records", done: Math.max(0, finished + records), total, part });
    });
    finished += recordsOf(plan.days);
  }
}

/** `audit archive`: moves closed days of logs into signed files. */
export function auditArchiveCommand(audit: Command, terminal: Terminal): void {
  audit
    .command("archive")
    .description("move past days of the log from the database into signed files")
    .option(
      "--before <day>",
      "archive days before this one, such as 2030-05-17; yesterday always stays",
    )
    .option("--keep-days <count>", "instead of --before: how many past days stay in the database")
    .option(
      "--site <site>",
      "domain, site key or site key hash; `installation` for the installation's log (default: all)",
    )
    .option("--dry-run", "list the days without archiving them")
    .option(...PROGRESS)
    .option("--json", "print JSON")
    .action(async (flags: ArchiveFlags) => {
      const before = readBefore(flags);
      const client = adminClient(terminal);
      const paths = await archivePaths(terminal, client, flags.site);
      const plans: Plan[] = [];
      for (const path of paths) plans.push(await planOf(client, path, before));
      if (flags.dryRun !== true) {
        await withProgress(terminal, flags, (show) => archivePlans(client, plans, before, show));
      }
      const days = plans.flatMap((plan) => plan.days);
      printDays(terminal, flags, before, days);
    });
}

function printDays(
  terminal: Terminal,
  { dryRun, json }: ArchiveFlags,
  before: string,
  days: readonly DueDay[],
): void {
  if (json === true) {
    terminal.out(plainJson({ before, dry_run: dryRun === true, days }));
    return;
  }
  const rows = days.map(({ chain, day, records }) => ({
    log: chain,
    day,
    records: String(records),
  }));
  terminal.out(table(rows, `Nothing to archive before ${before}.`));
  if (days.length === 0) return;
  const what = `${counted(days.length, "day")}, ${counted(recordsOf(days), "record")}`;
  const done = `Archived: ${what}. Back up the archive folder: other backups do not contain these days.`;
  terminal.err(dryRun === true ? `To archive: ${what}.` : done);
}
