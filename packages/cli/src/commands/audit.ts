import { join } from "node:path";
import type { AuditRecord } from "@gatehouse/protocol";
import type { Command } from "commander";
import { adminClient, orMissing } from "../admin-client.js";
import { downloadExport, type ExportFormat } from "../audit/download.js";
import { LOG_ARGUMENT, logPath, noSuchLog } from "../audit/log-path.js";
import { describeRecord } from "../audit/record-line.js";
import { type VerifyAuditFlags, verifyAudit } from "../audit/verify-files.js";
import { choice } from "../choice.js";
import { collect } from "../collect.js";
import { docsPage } from "../docs-page.js";
import { CommandError, EXIT } from "../exit.js";
import { PROGRESS, type ProgressFlags, withProgress } from "../progress.js";
import { card, plainJson, plainText, type Terminal, table } from "../terminal.js";
import { AUDIT_KEY_SET_PATH } from "../verify/key-set.js";
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
  const answer = adminClient(terminal).call<{ items: LogBody[] }>("GET", path);
  return (await orMissing(noSuchLog(text), answer)).items;
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
    .description("save one day of the log in one or more files")
    .option("--day <day>", "UTC day, such as 2030-05-17 (default: today)")
    .addOption(
      choice("--format <format>", "signed JSON, an HTML page that verifies itself, or OCSF lines", [
        "json",
        "html",
        "ocsf",
      ]).default("json"),
    )
    .option(
      "--chain <log>",
      "only this log, as listed by `audit logs` (default: all logs of the day)",
    )
    .option("--out <folder>", "folder for the files", ".")
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
      if (flags.json === true) return terminal.out(plainJson({ files }));
      terminal.out(files.join("\n"));
      if (day >= today()) {
        terminal.err(`${day} (UTC) is not over yet: later records are not in these files.`);
      }
      const extension = { json: "json", html: "html", ocsf: "ndjson" }[format];
      const { address } = adminClient(terminal);
      terminal.err(
        `Verify them: gatehouse audit verify ${join(out, `*.${extension}`)} --key ${address}`,
      );
      terminal.err(
        `To verify them offline, also save ${address}${AUDIT_KEY_SET_PATH} (for --key). ` +
          `For later exports, save a checkpoint now: gatehouse audit checkpoint ${text} > kept.txt`,
      );
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
    .argument("<files...>", "files of an export, in any order")
    .description("verify offline that no record was changed, removed or reordered")
    .requiredOption(
      "--key <source>",
      "audit keys you trust: a key set (file or address), or a vkey; can be repeated",
      collect,
    )
    .option(
      "--checkpoint <file>",
      "checkpoint that you kept and that the log must match; can be repeated",
      collect,
    )
    .option("--replay", "repeat every decision and compare the results with the records")
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
    .description("show the newest records; the log records who reads it")
    .option("-n, --lines <count>", `number of records, at most ${FOLLOW_RECORDS}`, "20")
    .option("--type <type>", "only records of one type, such as mcp.tools_call")
    .option("-f, --follow", "keep showing new records")
    .option("--chain <log>", "older log of the site, as listed by `audit logs`")
    .option("--json", "print one JSON object per line")
    .action(async (text: string, flags: TailFlags) => {
      const count = Number(flags.lines);
      if (!Number.isInteger(count) || count < 1 || count > FOLLOW_RECORDS) {
        const hint = `Use a number from 1 to ${FOLLOW_RECORDS}.`;
        throw new CommandError(`--lines: ${flags.lines} is out of range.`, EXIT.usage, hint);
      }
      const client = adminClient(terminal);
      const path = await logPath(terminal, text, "records");
      type Page = { chain: string; items: EntryBody[] };
      const { chain, type } = flags;
      const given = Object.entries({ chain, type }).filter(([, value]) => value !== undefined);
      const named = given
        .map(([name, value]) => `&${name}=${encodeURIComponent(value ?? "")}`)
        .join("");
      const answer = client.call<Page>("GET", `${path}?limit=${count}${named}`);
      const first = await orMissing(noSuchLog(text), answer);
      printRecords(terminal, flags, first.items.toReversed());
      if (first.items.length === 0) {
        terminal.err(`No records match. Show all: gatehouse audit tail ${text}`);
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

/** How a frozen log is fixed. */
function frozenHint(log: string, service: string): string {
  const page = docsPage("guide/audit.md#epochs-and-a-frozen-log", service);
  return (
    `Put a newer copy of the database back, or run: gatehouse audit renew ${log} --reason "…"\n` +
    `See ${page}`
  );
}

function logCommands(audit: Command, terminal: Terminal): void {
  audit
    .command("logs")
    .argument(...LOG_ARGUMENT)
    .description("list the logs of a site; one of them is open")
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
      terminal.out(table(rows, "No log yet. It starts with the first change to the site."));
      const frozen = items.filter(({ held }) => held !== null);
      for (const { chain, held } of frozen) {
        terminal.err(plainText(`${chain} is frozen: ${held}.`));
      }
      if (frozen.length > 0) terminal.err(frozenHint(text, adminClient(terminal).address));
    });

  audit
    .command("checkpoint")
    .argument(...LOG_ARGUMENT)
    .description("print the newest checkpoint; keep it on another machine")
    .option("--json", "print JSON")
    .action(async (text: string, { json }: Flags) => {
      const path = await logPath(terminal, text, "checkpoint");
      const note = await orMissing(noSuchLog(text), adminClient(terminal).text(path));
      if (json) return terminal.out(plainJson({ checkpoint: note }));
      terminal.out(note.trimEnd().split("\n").map(plainText).join("\n"));
    });

  audit
    .command("renew")
    .argument(...LOG_ARGUMENT)
    .description("close a frozen log and start the next one")
    .requiredOption(
      "--reason <text>",
      "why; it stays in the new log permanently, so do not mention people by name",
    )
    .option("--force", "also close a log that is not frozen")
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
  const audit = program.command("audit").description("the signed log of all decisions");
  exportCommand(audit, terminal);
  verifyCommand(audit, terminal);
  tailCommand(audit, terminal);
  auditShowCommand(audit, terminal);
  auditArchiveCommand(audit, terminal);
  logCommands(audit, terminal);
}
