import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { adminClient } from "../admin-client.js";
import { CommandError, EXIT } from "../exit.js";
import { findSite } from "../find-site.js";
import { plainJson, type Terminal, table } from "../terminal.js";

interface Previewed {
  readonly name: string;
  readonly url: string;
  readonly content_type: string;
  readonly text: string;
}

interface Flags {
  readonly document?: string;
  readonly out?: string;
  readonly json?: boolean;
}

const ENDINGS: Readonly<Record<string, string>> = {
  "application/json": "json",
  "application/did+json": "json",
  "application/mcp-server-card+json": "json",
  "text/plain": "txt",
  "text/html": "html",
  "text/markdown": "md",
};

/** What a document is called, and its file: the service says it, and must not say where that is. */
const NAME = /^[a-z0-9-]{1,64}$/;

function findOne(documents: readonly Previewed[], name: string): Previewed {
  const named = documents.find((document) => document.name === name);
  if (named !== undefined) return named;
  const names = documents.map((document) => document.name).join(", ");
  throw new CommandError(
    `There is no document ${name}.`,
    EXIT.usage,
    `The documents are: ${names}.`,
  );
}

/** Writes each to a file of its name; the files. */
function writeAll(documents: readonly Previewed[], folder: string): string[] {
  mkdirSync(folder, { recursive: true });
  return documents.map(({ name, content_type, text }) => {
    if (!NAME.test(name)) {
      const hint = "Check GATEHOUSE_BASE_URL: a different service may run there.";
      throw new CommandError(`${name} is not a valid document name.`, EXIT.failed, hint);
    }
    const file = join(folder, `${name}.${ENDINGS[content_type] ?? "txt"}`);
    writeFileSync(file, text);
    return file;
  });
}

/** `site preview`: what agents will read, before anything is published. */
export function previewCommand(site: Command, terminal: Terminal): void {
  site
    .command("preview")
    .argument("<site>", "domain, site key or site key hash")
    .description("show the documents for agents, unsigned, even before the domain is verified")
    .option(
      "--document <name>",
      "print one document: card, catalog, llms, page, page-markdown, mcp-tools, mcp-server-card, did, acp, robots, head",
    )
    .option("--out <folder>", "write all documents to this folder")
    .option("--json", "print JSON")
    .action(async (text: string, { document, out, json }: Flags) => {
      const client = adminClient(terminal);
      const { site_key_hash } = await findSite(client, text);
      const path = `/v1/admin/sites/${site_key_hash}/preview`;
      const { documents } = await client.call<{ documents: Previewed[] }>("POST", path, {});
      if (document !== undefined) {
        const one = findOne(documents, document);
        const print = terminal.copy ?? terminal.out;
        return json ? terminal.out(plainJson(one)) : print(one.text.trimEnd());
      }
      if (out !== undefined) {
        const files = writeAll(documents, out);
        return terminal.out(
          json ? plainJson({ files }) : `Wrote ${files.length} documents to ${out}.`,
        );
      }
      if (json) return terminal.out(plainJson({ documents }));
      const rows = documents.map(({ name, url, text }) => ({
        document: name,
        bytes: String(Buffer.byteLength(text)),
        url,
      }));
      terminal.out(table(rows, `No documents. Find out why: gatehouse site show ${text}`));
      terminal.out("Print one with --document <name>, or write all with --out <folder>.");
    });
}
