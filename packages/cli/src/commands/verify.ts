import {
  type Check,
  cardInPage,
  isJsonObject,
  type JsonObject,
  parseJson,
  type Verdict,
  verifyCard,
  verifyCatalog,
} from "@gatehouse/protocol";
import type { Command } from "commander";
import { CommandError, EXIT } from "../exit.js";
import { plainText, type Terminal } from "../terminal.js";
import { domainOf, keyFinder, keySetAddress, trustedKeySet } from "../verify/key-set.js";
import { readSource, type Source } from "../verify/source.js";

interface Flags {
  readonly keys?: string;
  readonly json?: boolean;
}

const LOOPBACK = /^(localhost|127\.|\[::1\]|.*\.localhost$)/;
const NAMES: Readonly<Record<string, string>> = {
  card: "agent card",
  "a2a-card": "A2A card",
  catalog: "catalog",
  page: "agent page",
};

/** Where the bytes came over counts too: what is not signed is as good as the connection. */
function transportCheck({ url }: Source): Check[] {
  if (url === undefined) return [];
  const ok = url.protocol === "https:" || LOOPBACK.test(url.hostname);
  const text = ok ? `it came from ${url.host}` : `it came from ${url.host} over plain HTTP`;
  return [{ id: "transport", ok, text }];
}

interface Document {
  readonly kind: "card" | "catalog" | "page";
  readonly bytes: Uint8Array;
  readonly value: JsonObject;
}

/** Finds out what was named. Only a guess: the checks say whether it is one. */
function recognize(bytes: Uint8Array): Document {
  const html = new TextDecoder().decode(bytes.subarray(0, 512)).trimStart().startsWith("<");
  const content = html ? cardInPage(bytes) : bytes;
  if (content === undefined) {
    throw new CommandError("This page carries no agent card.", EXIT.failed);
  }
  const parsed = parseJson(content);
  if (!parsed.ok || !isJsonObject(parsed.value)) {
    const why = parsed.ok ? "it is not an object" : parsed.detail;
    throw new CommandError(`This is no document I know: ${why}.`, EXIT.failed);
  }
  const catalog = "entries" in parsed.value;
  const kind = html ? "page" : catalog ? "catalog" : "card";
  return { kind, bytes: content, value: parsed.value };
}

async function check(source: Source, flags: Flags) {
  const document = recognize(source.bytes);
  const keys = flags.keys === undefined ? undefined : keySetAddress(flags.keys);
  const address = keys ?? trustedKeySet(source, document.value);
  const options = { findKey: keyFinder(address), now: Date.now() };
  const verify = document.kind === "catalog" ? verifyCatalog : verifyCard;
  const verdict: Verdict = await verify(document.bytes, options);
  const checks = [...transportCheck(source), ...verdict.checks];
  const kind = document.kind === "page" ? "page" : verdict.kind;
  const domain = domainOf(document.value);
  return { kind, domain, ok: checks.every(({ ok }) => ok), keys: address, checks };
}

function print(terminal: Terminal, result: Awaited<ReturnType<typeof check>>): void {
  const { kind, ok, keys, domain, checks } = result;
  for (const one of checks) terminal.out(`${one.ok ? "✓" : "✗"} ${plainText(one.text)}`);
  const name = `${NAMES[kind]} of ${plainText(domain)}`;
  terminal.out(
    ok ? `\nThe ${name} holds, by the keys of ${keys}.` : `\nThe ${name} does not hold.`,
  );
  if (ok && kind === "page") {
    terminal.out(
      "Only the card inside is signed: the text around it is as good as its connection.",
    );
  }
  if (ok && kind === "catalog") {
    terminal.out("Not signed, by contract: url, capabilities and description of its entries.");
  }
  if (ok && kind === "a2a-card") {
    terminal.out("It has no dates: only the full card says until when it is good.");
  }
}

export function verifyCommand(program: Command, terminal: Terminal): void {
  program
    .command("verify")
    .argument("<url|file>", "agent card, catalog or agent page")
    .description("check a signed document, step by step")
    .option("--keys <url|file>", "key set to trust, or the service it belongs to")
    .option("--json", "print JSON")
    .action(async (target: string, flags: Flags) => {
      const result = await check(await readSource(target), flags);
      if (flags.json) terminal.out(JSON.stringify({ target, ...result }, null, 2));
      else print(terminal, result);
      if (result.ok) return;
      const failed = result.checks.filter(({ ok }) => !ok).map(({ id }) => id);
      throw new CommandError(`Not verified: ${failed.join(", ")}.`, EXIT.failed);
    });
}
