import { createReadStream, statSync } from "node:fs";
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
import { productFeedCommands } from "./product-feed.js";
import { productPictureCommand } from "./product-picture.js";
import { type ProductBody, setProductCommand } from "./product-set.js";

interface Report {
  readonly written: number;
  readonly removed: number;
  readonly refused: number;
  readonly problems: readonly { readonly line: number; readonly problem: string }[];
  readonly total: number;
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
    `The format of ${file} is not clear: its name does not end in .csv or .jsonl.`,
    EXIT.usage,
    "Use --format csv or --format jsonl.",
  );
}

function sizeOf(file: string): number {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() === true) return stats.size;
  const hint = "Use a CSV file with a header line, or a file with one JSON object per line.";
  throw new CommandError(`${file} does not exist.`, EXIT.failed, hint);
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
    client.upload<Report>("POST", path, { type, body: readWith(show, file, bytes) }),
  );
  const { written, removed, refused, problems, total } = report;
  if (flags.json) terminal.out(plainJson(report));
  else {
    const gone = removed === 0 ? "" : `, ${removed} removed`;
    terminal.out(`${written} saved${gone}; ${domain} now has ${counted(total, "product")}.`);
    for (const { line, problem } of problems) {
      terminal.err(`line ${line}: ${plainText(problem)}`);
    }
  }
  if (refused === 0) return;
  const kept = flags.replace === true ? " Nothing was removed." : "";
  const were = `${counted(refused, "line")} ${refused === 1 ? "was" : "were"} rejected`;
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
    const before = removed.length === 0 ? "" : ` Already removed: ${removed.join(", ")}.`;
    const missing = {
      says: `${domain} has no product ${plainText(id)}.${plainText(before)}`,
      hint: `\`gatehouse product list ${domain}\` lists the product ids.`,
    };
    // In the query: an id may hold what no path can.
    const path = `/v1/admin/sites/${site_key_hash}/products${queryOf({ id })}`;
    await client.callAbout(missing, "DELETE", path);
    removed.push(id);
  }
  if (asJson) return terminal.out(plainJson({ removed }));
  const them = removed.length === 1 ? "it" : "them";
  terminal.out(`${counted(removed.length, "product")} removed. Nobody can buy ${them} any more.`);
}

export function productCommands(program: Command, terminal: Terminal): void {
  const product = program.command("product").description("products that a site sells to agents");
  product
    .command("import")
    .argument("<site>", "domain, site key or site key hash")
    .argument("<file>", "CSV file with a header line, or file with one JSON object per line")
    .description("add and update products; lines with errors are reported and skipped")
    .addOption(
      choice("--format <format>", "format, if the file name does not end in .csv or .jsonl", [
        "csv",
        "jsonl",
      ]),
    )
    .option("--replace", "remove products that are not in the file")
    .option(...PROGRESS)
    .option("--json", "print JSON")
    .action((text: string, file: string, flags: ImportFlags) =>
      importFile(terminal, text, file, flags),
    );

  setProductCommand(product, terminal);
  productPictureCommand(product, terminal);
  productFeedCommands(product, terminal);

  product
    .command("remove")
    .argument("<site>", "domain, site key or site key hash")
    .argument("<ids...>", "ids from `product list`")
    .description("remove products; existing orders keep their details")
    .option("--json", "print JSON")
    .action((text: string, ids: string[], { json }: { json?: boolean }) =>
      remove(terminal, text, ids, json === true),
    );

  product
    .command("list")
    .argument("<site>", "domain, site key or site key hash")
    .description("list products, sorted by id")
    .option(
      "--search <text>",
      "only products with this text in the title, id or SKU, or with these words in the title",
    )
    .option("--json", "print JSON")
    .action(async (text: string, { search, json }: { search?: string; json?: boolean }) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const items: ProductBody[] = [];
      const path = `/v1/admin/sites/${site_key_hash}/products${listQuery({ q: search })}`;
      for await (const one of client.pages<ProductBody>(path)) items.push(one);
      if (json) return terminal.out(plainJson({ items }));
      const hasSkus = items.some(({ sku }) => sku !== null);
      const rows = items.map(({ id, sku, title, price, availability, quantity, ...rest }) => ({
        id,
        ...(hasSkus ? { sku: sku ?? "" } : {}),
        title,
        price: moneyText(price),
        availability: rest.paused ? "paused" : availability,
        quantity: quantity === null ? "not counted" : String(quantity),
        reserved: rest.reserved === 0 ? "" : String(rest.reserved),
      }));
      const none =
        search === undefined
          ? `No products yet. Add some: gatehouse product import ${text} <file>`
          : `No products match. List all: gatehouse product list ${text}`;
      terminal.out(table(rows, none));
    });
}
