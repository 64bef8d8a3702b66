import {
  type Check,
  cardInPage,
  documentClaims,
  EXPORT_ELEMENT,
  isJsonObject,
  isSecureUrl,
  type JsonObject,
  parseJson,
  readAnswerReceipt,
  sha256,
  termsIn,
  toHex,
  trustedKeySet,
  verifyA2aCard,
  verifyAnswerReceipt,
  verifyCard,
  verifyCatalog,
  verifySignedTerms,
} from "@gatehouse/protocol";
import type { Command } from "commander";
import { verifyAudit } from "../audit/verify-files.js";
import { docsPage } from "../docs-page.js";
import { CommandError, EXIT } from "../exit.js";
import { plainJson, plainText, type Terminal } from "../terminal.js";
import { AUDIT_KEY_SET_PATH, keyFinder, keySetAddress, noKeysNamed } from "../verify/key-set.js";
import { logNoteIn, verifyLogNote } from "../verify/log-note.js";
import { readSource, type Source } from "../verify/source.js";

interface Flags {
  readonly keys?: string;
  readonly body?: string;
  readonly record?: string;
  readonly json?: boolean;
}

const VERIFIERS = {
  card: verifyCard,
  "a2a-card": verifyA2aCard,
  catalog: verifyCatalog,
  page: verifyCard,
  receipt: verifyAnswerReceipt,
  terms: verifySignedTerms,
};
const NAMES: Readonly<Record<string, string>> = {
  card: "agent card",
  "a2a-card": "A2A card",
  catalog: "catalog",
  page: "agent page",
  receipt: "receipt",
  terms: "signed terms",
};

/** Where the bytes came over counts too: what is not signed is as good as the connection. */
function transportCheck({ url }: Source): Check[] {
  if (url === undefined) return [];
  const ok = isSecureUrl(url);
  const text = ok ? `it came from ${url.host}` : `it came from ${url.host} over plain HTTP`;
  return [{ id: "transport", ok, text }];
}

interface Document {
  readonly kind: "card" | "a2a-card" | "catalog" | "page" | "receipt" | "terms";
  readonly bytes: Uint8Array;
  readonly value: JsonObject;
}

const VERIFIABLE =
  "You can verify agent cards, catalogs, the card in an agent page, receipts, the terms in a checkout, " +
  "and of an audit log: checkpoints, log proofs and JSON or HTML exports. For OCSF files and several files, " +
  "use `gatehouse audit verify`.";

/** Where a site serves its card. */
const CARD_PATH = "/.well-known/agent-card.json";

const isPage = (bytes: Uint8Array) =>
  new TextDecoder().decode(bytes.subarray(0, 512)).trimStart().startsWith("<");

/** The card that a site serves; undefined if it serves none. */
async function cardOf({ origin }: URL): Promise<Source | undefined> {
  const card = await readSource(origin + CARD_PATH).catch((error: unknown) => {
    if (error instanceof CommandError) return undefined;
    throw error;
  });
  return card === undefined || isPage(card.bytes) ? undefined : card;
}

/** What a person named. The address of a site means its card, wherever its home page leads. */
async function readNamed(target: string): Promise<Source> {
  const url = URL.canParse(target) ? new URL(target) : undefined;
  const isSite = url !== undefined && /^https?:$/.test(url.protocol) && url.pathname === "/";
  return (isSite ? await cardOf(url) : undefined) ?? readSource(target);
}

/** Finds out what was named. Only a guess: the checks say whether it is one. */
function recognize(bytes: Uint8Array): Document {
  const html = isPage(bytes);
  const content = html ? cardInPage(bytes) : bytes;
  if (content === undefined) {
    const hint =
      "Use the address of the site's agent page, which contains its card, or of the card itself.";
    throw new CommandError("This page does not contain an agent card.", EXIT.failed, hint);
  }
  const parsed = parseJson(content);
  if (!parsed.ok || !isJsonObject(parsed.value)) {
    throw new CommandError("This is not a signed document.", EXIT.failed, VERIFIABLE);
  }
  const { value } = parsed;
  if (!html && readAnswerReceipt(value).ok) return { kind: "receipt", bytes: content, value };
  if (!html && termsIn(value) !== undefined) return { kind: "terms", bytes: content, value };
  if (["signing", "signatures", "trustManifest", "host"].every((name) => !(name in value))) {
    const hint =
      "Previews are not signed, for example. Verify the documents that the service publishes.";
    throw new CommandError("This document is not signed.", EXIT.failed, hint);
  }
  if (html) return { kind: "page", bytes: content, value };
  if ("entries" in value) return { kind: "catalog", bytes: content, value };
  return { kind: "signing" in value ? "card" : "a2a-card", bytes: content, value };
}

/** Whether a file is a part of an audit export, by how it begins: parts can be long. */
function isExport(bytes: Uint8Array): boolean {
  const start = new TextDecoder().decode(bytes.subarray(0, 64 * 1024));
  return /^\s*\{\s*"bundle"/.test(start) || start.includes(EXPORT_ELEMENT);
}

/** What a document says the SHA-256 of something else is, and what that is. */
function namedBy({ kind, value }: Document): { readonly digest: unknown; readonly what: string } {
  const receipt = readAnswerReceipt(value);
  if (receipt.ok)
    return { digest: receipt.value.signed.request_sha256, what: "what the agent sent" };
  if (kind !== "terms") {
    const hint = `Verify the ${NAMES[kind]} without it.`;
    throw new CommandError("--body works only with receipts and terms.", EXIT.usage, hint);
  }
  return { digest: termsIn(value)?.sha256, what: "the text that was signed" };
}

/** Whether a file or address holds what a receipt or terms speak of. */
async function bodyCheck(document: Document, file: string): Promise<Check> {
  const { digest, what } = namedBy(document);
  const { bytes } = await readSource(file);
  const ok = digest === toHex(await sha256(bytes));
  return { id: "body", ok, text: `${file} is ${ok ? "" : "not "}${what}` };
}

/** Whose keys must have signed it: those somebody named, or those of whom it came from. */
function keysFor({ url }: Source, { kind, value }: Document, named: string | undefined): string {
  // Receipts are signed by the key of the audit log, and name no domain.
  const path = kind === "receipt" ? AUDIT_KEY_SET_PATH : undefined;
  if (named !== undefined) return keySetAddress(named, path);
  if (url === undefined) throw noKeysNamed();
  return trustedKeySet(url, value);
}

async function check(source: Source, flags: Flags) {
  const document = recognize(source.bytes);
  const address = keysFor(source, document, flags.keys);
  const options = { findKey: keyFinder(address), now: Date.now() };
  const verdict = await VERIFIERS[document.kind](document.bytes, options);
  const sent = flags.body === undefined ? [] : [await bodyCheck(document, flags.body)];
  const checks = [...transportCheck(source), ...verdict.checks, ...sent];
  const ok = checks.every((one) => one.ok);
  const { domain } = documentClaims(document.value);
  // Only who the reader named, or the domain itself, is known to be the one to ask.
  const vouched = flags.keys !== undefined || source.url?.host === domain;
  return { kind: document.kind, domain, ok, keys: address, vouched, checks };
}

const NOTES: Readonly<Record<string, string>> = {
  page: "Only the card in the page is signed. The text around it is only as safe as the connection.",
  catalog: "Only the trust manifest is signed. Its entries are only as safe as the connection.",
  "a2a-card": "Only the full agent card is signed as a whole. It has the addresses of the skills.",
};

const UNCOMPARED: Readonly<Record<string, string>> = {
  receipt: "The sent request was not compared. Use --body <file> to compare it.",
  terms: "The text of the terms was not compared. Use --body <url|file> to compare it.",
};

function print(terminal: Terminal, result: Awaited<ReturnType<typeof check>>): void {
  const { kind, ok, keys, domain, vouched, checks } = result;
  for (const one of checks) terminal.out(`${one.ok ? "✓" : "✗"} ${plainText(one.text)}`);
  const name = `${NAMES[kind]}${domain === "" ? "" : ` of ${plainText(domain)}`}`;
  const named = kind === "receipt" || kind === "terms";
  const compared = !named || checks.some(({ id }) => id === "body");
  const note = [
    ...(NOTES[kind] === undefined ? [] : [NOTES[kind]]),
    ...(compared ? [] : [UNCOMPARED[kind] ?? ""]),
  ];
  const lines = ok
    ? [
        `The ${name} ${kind === "terms" ? "are" : "is"} valid, verified with the keys of ${plainText(keys)}.`,
        ...note,
      ]
    : [`The ${name} ${kind === "terms" ? "are" : "is"} not valid.`];
  if (ok && !vouched) {
    lines.push(
      `Do you trust these keys for ${plainText(domain)}? If not, specify the service you trust: --keys <service>.`,
    );
  }
  terminal.out(`\n${lines.join("\n")}`);
}

export function verifyCommand(program: Command, terminal: Terminal): void {
  program
    .command("verify")
    .argument(
      "<url|file>",
      "a site's address, agent card, catalog, agent page, receipt, terms, checkpoint, log proof, or a part of an audit export",
    )
    .description("verify a signed document, step by step")
    .option(
      "--body <url|file>",
      "the request that a receipt is about, or the text of the terms, to compare",
    )
    .option("--record <hash>", "the hash of the record that a log proof is about, to compare")
    .option("--keys <url|file>", "key set that you trust, or the service that publishes it")
    .option("--json", "print JSON")
    .action(async (target: string, flags: Flags) => {
      const source = await readNamed(target);
      if (source.url === undefined && isExport(source.bytes)) {
        if (flags.keys === undefined) throw noKeysNamed();
        return verifyAudit([target], { key: [flags.keys], json: flags.json === true }, terminal);
      }
      const note = logNoteIn(source.bytes);
      if (note !== undefined) return verifyLogNote(source, note, flags, terminal);
      if (flags.record !== undefined) {
        const hint = "Verify this document without it.";
        throw new CommandError("--record works only with log proofs.", EXIT.usage, hint);
      }
      const result = await check(source, flags);
      if (flags.json) terminal.out(plainJson({ target, ...result }));
      else print(terminal, result);
      if (result.ok) return;
      const failed = result.checks.filter(({ ok }) => !ok).map(({ id }) => id);
      const page = docsPage("guide/verify.md", flags.keys ?? source.url?.origin);
      const hint = `Do not rely on this document. The lines marked ✗ say why. See ${page}`;
      throw new CommandError(`Not verified: ${failed.join(", ")}.`, EXIT.failed, hint);
    });
}
