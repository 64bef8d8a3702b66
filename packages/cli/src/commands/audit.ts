import type { AuditRecord } from "@gatehouse/protocol";
import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { downloadExport, type ExportFormat } from "../audit/download.js";
import { LOG_ARGUMENT, logPath } from "../audit/log-path.js";
import { describeRecord } from "../audit/record-line.js";
import { type VerifyAuditFlags, verifyAudit } from "../audit/verify-files.js";
import { choice } from "../choice.js";
import { collect } from "../collect.js";
import { CommandError, EXIT } from "../exit.js";
import { PROGRESS, type ProgressFlags, withProgress } from "../progress.js";
import { card, plainJson, plainText, type Terminal, table } from "../terminal.js";
import { auditArchiveCommand } from "./audit-archive.js";
import { auditShowCommand } from "./audit-show.js";

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

const FOLLOW_EVERY_MS = 2000;
const FOLLOW_RECORDS = 200;

async function logsOf(terminal: Terminal, text: string): Promise<readonly LogBody[]> {
  const path = await logPath(terminal, text, "logs");
  return (await adminClient(terminal).call<{ items: LogBody[] }>("GET", path)).items;
}

/** The logs of a site that were written to on a day: more than one where a log ended on it. */
async function logsOfDay(terminal: Terminal, text: string, day: string): Promise<string[]> {
  const logs = await logsOf(terminal, text);
  const those = logs.filter(
    ({ first_day, last_day, state }) => first_day <= day && (state === "open" || day <= last_day),
  );
  // The service says best what is wrong with a day no log has.
  return (those.length === 0 ? logs.slice(0, 1) : those).map(({ chain }) => chain).reverse();
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

function exportCommand(audit: Command, terminal: Terminal): void {
  audit
    .command("export")
    .argument(...LOG_ARGUMENT)
    .description("save a day of the log, in as many files as it needs")
    .option("--day <day>", "UTC day, as 2030-05-17 (default: today)")
    .addOption(
      choice("--format <format>", "signed JSON, a page that verifies itself, or OCSF lines", [
        "json",
        "html",
        "ocsf",
      ]).default("json"),
    )
    .option("--chain <log>", "only this log, as `audit logs` lists them (default: all of the day)")
    .option("--out <folder>", "where the files go (default: here)", ".")
    .option(...PROGRESS)
    .option("--json", "print JSON")
    .action(async (text: string, flags: ExportFlags) => {
      const { day = today(), format, out } = flags;
      const chains = flags.chain ? [flags.chain] : await logsOfDay(terminal, text, day);
      const files: string[] = [];
      await withProgress(terminal, flags, async (show) => {
        let done = 0;
        const onBytes = (file: string, bytes: number) => {
          done += bytes;
          const [, one, all] = /-part-(\d+)-of-(\d+)\./.exec(file) ?? [];
          const part = one === undefined ? undefined : `part ${one} of ${all}`;
          show({ unit: "bytes", done, part });
        };
        for (const chain of chains) {
          const query = new URLSearchParams({ day, format, chain });
          const path = await logPath(terminal, text, `exports?${query}`);
          files.push(...(await downloadExport(adminClient(terminal), path, out, onBytes)));
        }
      });
      terminal.out(flags.json === true ? plainJson({ files }) : files.join("\n"));
    });
}

interface ExportFlags extends Flags, ProgressFlags {
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
      "audit keys you trust: a key set (file or address), or a vkey; may be repeated",
      collect,
    )
    .option("--checkpoint <file>", "a checkpoint you kept; must be met; may be repeated", collect)
    .option("--replay", "decide every decision again, and compare the records with each other")
    .option(...PROGRESS)
    .option("--json", "print JSON")
    .action(async (files: string[], flags: VerifyAuditFlags) => {
      await verifyAudit(files, flags, terminal);
    });
}

function printRecords(terminal: Terminal, flags: Flags, entries: readonly EntryBody[]): void {
  for (const entry of entries) {
    const { json } = flags;
    terminal.out(json ? plainJson(entry, 0) : plainText(describeRecord(entry.record)));
  }
}

interface TailFlags extends Flags {
  readonly lines: string;
  readonly follow?: boolean;
  readonly chain?: string;
  readonly type?: string;
}

function tailCommand(audit: Command, terminal: Terminal): void {
  audit
    .command("tail")
    .argument(...LOG_ARGUMENT)
    .description("show the newest records; reading is recorded too")
    .option("-n, --lines <count>", `how many, at most ${FOLLOW_RECORDS}`, "20")
    .option("--type <type>", "only records of one type, such as mcp.tools_call")
    .option("-f, --follow", "go on showing new ones")
    .option("--chain <log>", "an older log of the site, as `audit logs` lists them")
    .option("--json", "print one JSON object a line")
    .action(async (text: string, flags: TailFlags) => {
      const count = Number(flags.lines);
      if (!Number.isInteger(count) || count < 1 || count > FOLLOW_RECORDS) {
        const hint = `Write a number from 1 to ${FOLLOW_RECORDS}.`;
        throw new CommandError(`--lines: ${flags.lines} are not shown at once.`, EXIT.usage, hint);
      }
      const client = adminClient(terminal);
      const path = await logPath(terminal, text, "records");
      type Page = { chain: string; items: EntryBody[] };
      const { chain, type } = flags;
      const given = Object.entries({ chain, type }).filter(([, value]) => value !== undefined);
      const named = given
        .map(([name, value]) => `&${name}=${encodeURIComponent(value ?? "")}`)
        .join("");
      const first = await client.call<Page>("GET", `${path}?limit=${count}${named}`);
      printRecords(terminal, flags, first.items.toReversed());
      if (first.items.length === 0) {
        terminal.err(`There are no such records. All of them: gatehouse audit tail ${text}`);
      }
      let next = (first.items[0]?.record.seq ?? -1) + 1;
      while (flags.follow === true) {
        await new Promise((resolve) => setTimeout(resolve, FOLLOW_EVERY_MS));
        const query = `?from_seq=${next}&limit=${FOLLOW_RECORDS}&chain=${encodeURIComponent(first.chain)}`;
        const { items } = await client.call<Page>("GET", path + query);
        printRecords(terminal, flags, items);
        next += items.length;
      }
    });
}

function logCommands(audit: Command, terminal: Terminal): void {
  audit
    .command("logs")
    .argument(...LOG_ARGUMENT)
    .description("list the logs of a site; one is open")
    .option("--json", "print JSON")
    .action(async (text: string, flags: Flags) => {
      const items = await logsOf(terminal, text);
      if (flags.json === true) return terminal.out(plainJson({ items }));
      const rows = items.map((log) => ({
        log: log.chain,
        state: log.held === null ? log.state : "frozen",
        records: String(log.records),
        from: log.first_day,
        to: log.last_day,
      }));
      terminal.out(table(rows, "No log yet: it begins with the first change of the site."));
      for (const { chain, held } of items) {
        if (held !== null) terminal.err(plainText(`${chain} is frozen: ${held}.`));
      }
    });

  audit
    .command("checkpoint")
    .argument(...LOG_ARGUMENT)
    .description("print the newest checkpoint; keep it somewhere else")
    .option("--json", "print JSON")
    .action(async (text: string, { json }: Flags) => {
      const path = await logPath(terminal, text, "checkpoint");
      const note = await adminClient(terminal).text(path);
      if (json) return terminal.out(plainJson({ checkpoint: note }));
      terminal.out(note.trimEnd().split("\n").map(plainText).join("\n"));
    });

  audit
    .command("renew")
    .argument(...LOG_ARGUMENT)
    .description("end a frozen log, and open the next epoch")
    .requiredOption("--reason <text>", "why; it stands in the new log for ever, so name nobody")
    .option("--force", "end a log that is not frozen, too")
    .option("--json", "print JSON")
    .action(async (text: string, flags: Flags & { reason: string; force?: boolean }) => {
      const path = await logPath(terminal, text, "epochs");
      const body = { reason: flags.reason, force: flags.force === true };
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
  auditShowCommand(audit, terminal);
  auditArchiveCommand(audit, terminal);
  logCommands(audit, terminal);
}
