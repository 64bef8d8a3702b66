import { createReadStream, statSync } from "node:fs";
import type { Money } from "@gatehouse/protocol";
import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { choice } from "../choice.js";
import { counted } from "../counted.js";
import { CommandError, EXIT } from "../exit.js";
import { findSite } from "../find-site.js";
import { listQuery, queryOf } from "../list-query.js";
import { moneyText } from "../money-text.js";
import { PROGRESS, type ProgressFlags, type Step, withProgress } from "../progress.js";
import { plainJson, plainText, type Terminal, table } from "../terminal.js";

interface Report {
  readonly written: number;
  readonly removed: number;
  readonly refused: number;
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
  readonly total: number;
}

interface ProductBody {
  readonly id: string;
  readonly title: string;
  readonly price: Money;
  readonly availability: string;
  readonly quantity: number | null;
  readonly reserved: number;
}

const TYPES: Readonly<Record<string, string>> = {
  csv: "text/csv; charset=utf-8",
  jsonl: "application/x-ndjson",
};

/** What a file holds, by its name unless said. */
function typeOf(file: string, format: string | undefined): string {
  const ending = format ?? (/\.(csv|jsonl|ndjson)$/i.exec(file)?.[1] ?? "").toLowerCase();
  const type = TYPES[ending === "ndjson" ? "jsonl" : ending];
  if (type !== undefined) return type;
  throw new CommandError(
    `It is not clear what ${file} holds: its name ends neither in .csv nor in .jsonl.`,
    EXIT.usage,
    "Say --format csv or --format jsonl.",
  );
}

function sizeOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() === true) return found.size;
  const hint = "Name a CSV file with a first line of names, or one with a JSON object a line.";
  throw new CommandError(`${file} cannot be read: there is no such file.`, EXIT.failed, hint);
}

/** A file piece by piece; how far it was sent is shown as it is read. */
async function* readWith(
  show: (step: Step) => void,
  file: string,
  total: number,
): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const piece of createReadStream(file)) {
    done += (piece as Buffer).length;
    show({ unit: "bytes", done, total });
    yield piece as Buffer;
  }
}

interface ImportFlags extends ProgressFlags {
  readonly format?: string;
  readonly replace?: boolean;
  readonly json?: boolean;
}

async function importFile(terminal: Terminal, text: string, file: string, flags: ImportFlags) {
  const bytes = sizeOf(file);
  const type = typeOf(file, flags.format);
  const client = adminClient(terminal);
  const { site_key_hash, domain } = await findSite(client, text);
  const mode = flags.replace === true ? "replace" : "update";
  const path = `/v1/admin/sites/${site_key_hash}/products/import?mode=${mode}`;
  const report = await withProgress(terminal, flags, (show) =>
    client.upload<Report>(path, type, readWith(show, file, bytes)),
  );
  const { written, removed, refused, problems, total } = report;
  if (flags.json) terminal.out(plainJson(report));
  else {
    const gone = removed === 0 ? "" : `, ${removed} removed`;
    terminal.out(`${written} written${gone}; ${domain} has ${counted(total, "product")}.`);
    for (const { line, problem } of problems) {
      terminal.err(`line ${line}: ${plainText(problem)}`);
    }
  }
  if (refused === 0) return;
  const kept = flags.replace === true ? " Nothing was removed." : "";
  const were = `${counted(refused, "line")} ${refused === 1 ? "was" : "were"} refused`;
  throw new CommandError(
    `${were}; ${written === 0 ? "nothing was imported" : "the others were imported"}.${kept}`,
    EXIT.failed,
    `Fix ${refused === 1 ? "it" : "them"} and import the file again.`,
  );
}

/** Removes products one by one, up to the first that is not there. */
async function remove(terminal: Terminal, text: string, ids: readonly string[], asJson: boolean) {
  const client = adminClient(terminal);
  const { site_key_hash, domain } = await findSite(client, text);
  const removed: string[] = [];
  for (const id of new Set(ids)) {
    const before = removed.length === 0 ? "" : ` Removed before it: ${removed.join(", ")}.`;
    const missing = {
      says: `${domain} does not sell ${plainText(id)}.${plainText(before)}`,
      hint: `\`gatehouse product list ${domain}\` shows the ids there are.`,
    };
    // In the query: an id may hold what no path can.
    const path = `/v1/admin/sites/${site_key_hash}/products${queryOf({ id })}`;
    await client.callAbout(missing, "DELETE", path);
    removed.push(id);
  }
  if (asJson) return terminal.out(plainJson({ removed }));
  const them = removed.length === 1 ? "it" : "them";
  terminal.out(`${counted(removed.length, "product")} removed: nobody can buy ${them} any more.`);
}

export function productCommands(program: Command, terminal: Terminal): void {
  const product = program.command("product").description("what a site sells to agents");
  product
    .command("import")
    .argument("<site>", "its domain, key or hash")
    .argument("<file>", "CSV with a first line of names, or one JSON object a line")
    .description("add and change products; wrong lines are reported and left out")
    .addOption(choice("--format <format>", "if the name does not say", ["csv", "jsonl"]))
    .option("--replace", "remove products the file does not name")
    .option(...PROGRESS)
    .option("--json", "print JSON")
    .action((text: string, file: string, flags: ImportFlags) =>
      importFile(terminal, text, file, flags),
    );

  product
    .command("remove")
    .argument("<site>", "its domain, key or hash")
    .argument("<ids...>", "the ids `product list` shows")
    .description("take products out of the list; orders keep what they say of them")
    .option("--json", "print JSON")
    .action((text: string, ids: string[], { json }: { json?: boolean }) =>
      remove(terminal, text, ids, json === true),
    );

  product
    .command("list")
    .argument("<site>", "its domain, key or hash")
    .description("list products by their id")
    .option("--search <text>", "only those with this in their title or id")
    .option("--json", "print JSON")
    .action(async (text: string, { search, json }: { search?: string; json?: boolean }) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const items: ProductBody[] = [];
      const path = `/v1/admin/sites/${site_key_hash}/products${listQuery({ q: search })}`;
      for await (const one of client.pages<ProductBody>(path)) items.push(one);
      if (json) return terminal.out(plainJson({ items }));
      const rows = items.map(({ id, title, price, availability, quantity, reserved }) => ({
        id,
        title,
        price: moneyText(price),
        availability,
        quantity: quantity === null ? "not counted" : String(quantity),
        reserved: reserved === 0 ? "" : String(reserved),
      }));
      const none =
        search === undefined
          ? `Nothing is sold yet. Add it: gatehouse product import ${text} <file>`
          : `There are no such products. All of them: gatehouse product list ${text}`;
      terminal.out(table(rows, none));
    });
}
