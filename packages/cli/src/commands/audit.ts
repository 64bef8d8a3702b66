import type { AuditRecord } from "@gatehouse/protocol";
import { type Command, Option } from "commander";
import { adminClient } from "../admin-client.js";
import { downloadExport, type ExportFormat } from "../audit/download.js";
import { describeRecord } from "../audit/record-line.js";
import { type VerifyAuditFlags, verifyAudit } from "../audit/verify-files.js";
import { CommandError, EXIT } from "../exit.js";
import { findSite } from "../find-site.js";
import { card, plainJson, plainText, type Terminal, table } from "../terminal.js";

interface Flags {
  readonly json?: boolean;
}

interface LogBody {
  readonly chain: string;
  readonly state: string;
  readonly records: number;
  readonly first_day: string;
  readonly last_day: string;
  readonly held: string | null;
}

interface EntryBody {
  readonly record: AuditRecord;
  readonly hash: string;
}

const SITE = ["<site>", "domain, site key or site key hash"] as const;
const FOLLOW_EVERY_MS = 2000;
const FOLLOW_RECORDS = 200;

/** The admin path of a site's log. */
async function logPath(terminal: Terminal, text: string, rest: string): Promise<string> {
  const { site_key_hash } = await findSite(adminClient(terminal), text);
  return `/v1/admin/sites/${site_key_hash}/audit/${rest}`;
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function exportCommand(audit: Command, terminal: Terminal): void {
  audit
    .command("export")
    .argument(...SITE)
    .description("save a day of the log, in as many files as it needs")
    .option("--day <day>", "UTC day, as 2030-05-17 (default: today)")
    .addOption(
      new Option("--format <format>", "signed JSON, a page that verifies itself, or OCSF lines")
        .choices(["json", "html", "ocsf"])
        .default("json"),
    )
    .option("--chain <name>", "an older log of the site, as `audit logs` lists them")
    .option("--out <folder>", "where the files go (default: here)", ".")
    .option("--json", "print JSON")
    .action(async (text: string, flags: ExportFlags) => {
      const { day = today(), format, chain, out } = flags;
      const query = new URLSearchParams({ day, format, ...(chain === undefined ? {} : { chain }) });
      const path = await logPath(terminal, text, `exports?${query}`);
      const files = await downloadExport(adminClient(terminal), path, out, terminal);
      terminal.out(flags.json === true ? plainJson({ files }) : files.join("\n"));
    });
}

interface ExportFlags extends Flags {
  readonly day?: string;
  readonly format: ExportFormat;
  readonly chain?: string;
  readonly out: string;
}

function verifyCommand(audit: Command, terminal: Terminal): void {
  audit
    .command("verify")
    .argument("<files...>", "the files of an export, in any order")
    .description("prove offline that nothing was changed, dropped or reordered")
    .requiredOption(
      "--key <source>",
      "audit keys you trust: a key set (file or address), or a vkey",
    )
    .option("--checkpoint <file...>", "checkpoints you kept from before; each must be met")
    .option("--replay", "decide every decision again by the rules it names")
    .option("--json", "print JSON")
    .action(async (files: string[], flags: VerifyAuditFlags) => {
      await verifyAudit(files, flags, terminal);
    });
}

function printRecords(terminal: Terminal, flags: Flags, entries: readonly EntryBody[]): void {
  for (const entry of entries) {
    const line = flags.json === true ? JSON.stringify(entry) : describeRecord(entry.record);
    terminal.out(plainText(line));
  }
}

function tailCommand(audit: Command, terminal: Terminal): void {
  audit
    .command("tail")
    .argument(...SITE)
    .description("show the newest records; reading is recorded too")
    .option("-n, --lines <count>", "how many", "20")
    .option("-f, --follow", "go on showing new ones")
    .option("--json", "print one JSON object a line")
    .action(async (text: string, flags: Flags & { lines: string; follow?: boolean }) => {
      const count = Number(flags.lines);
      if (!Number.isInteger(count) || count < 1 || count > FOLLOW_RECORDS) {
        throw new CommandError(`--lines: from 1 to ${FOLLOW_RECORDS}.`, EXIT.usage);
      }
      const client = adminClient(terminal);
      const path = await logPath(terminal, text, "records");
      type Page = { chain: string; items: EntryBody[] };
      const first = await client.call<Page>("GET", `${path}?limit=${count}`);
      printRecords(terminal, flags, first.items.toReversed());
      let next = (first.items[0]?.record.seq ?? -1) + 1;
      while (flags.follow === true) {
        await new Promise((resolve) => setTimeout(resolve, FOLLOW_EVERY_MS));
        const query = `?from_seq=${next}&limit=${FOLLOW_RECORDS}&chain=${first.chain}`;
        const { items } = await client.call<Page>("GET", path + query);
        printRecords(terminal, flags, items);
        next += items.length;
      }
    });
}

function logCommands(audit: Command, terminal: Terminal): void {
  audit
    .command("logs")
    .argument(...SITE)
    .description("list the logs of a site; one is open")
    .option("--json", "print JSON")
    .action(async (text: string, flags: Flags) => {
      const path = await logPath(terminal, text, "logs");
      const { items } = await adminClient(terminal).call<{ items: LogBody[] }>("GET", path);
      if (flags.json === true) return terminal.out(plainJson(items));
      const rows = items.map((log) => ({
        ...{ log: log.chain, state: log.held === null ? log.state : "held" },
        ...{ records: String(log.records), from: log.first_day, to: log.last_day },
      }));
      terminal.out(table(rows));
      for (const { chain, held } of items) {
        if (held !== null) terminal.err(`${chain} is held: ${held}.`);
      }
    });

  audit
    .command("checkpoint")
    .argument(...SITE)
    .description("print the newest checkpoint; keep it somewhere else")
    .action(async (text: string) => {
      const path = await logPath(terminal, text, "checkpoint");
      terminal.out((await adminClient(terminal).text(path)).trimEnd());
    });

  audit
    .command("renew")
    .argument(...SITE)
    .description("end a log that is held, and open the next epoch")
    .requiredOption("--reason <text>", "why; it is written into the new log")
    .option("--json", "print JSON")
    .action(async (text: string, flags: Flags & { reason: string }) => {
      const path = await logPath(terminal, text, "epochs");
      const body = { reason: flags.reason };
      const log = await adminClient(terminal).call<LogBody>("POST", path, body);
      const { chain, state } = log;
      terminal.out(flags.json === true ? plainJson(log) : card({ log: chain, state }));
    });
}

export function auditCommands(program: Command, terminal: Terminal): void {
  const audit = program.command("audit").description("the signed log of what was decided");
  exportCommand(audit, terminal);
  verifyCommand(audit, terminal);
  tailCommand(audit, terminal);
  logCommands(audit, terminal);
}
