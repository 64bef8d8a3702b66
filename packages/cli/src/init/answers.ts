import { type JsonObject, policyPreset } from "@gatehouse/protocol";
import { CommandError, EXIT } from "../exit.js";
import type { Terminal } from "../terminal.js";
import { isThisMachine } from "../this-machine.js";

/** What `init` is told, by questions or by options. */
export interface Given {
  readonly domain?: string;
  readonly name?: string;
  readonly address?: string;
  readonly limit?: string;
  readonly sandbox?: boolean;
}

export interface Answers {
  readonly domain: string;
  readonly name: string;
  /** Where agents reach the service. */
  readonly address: URL;
  readonly policy: JsonObject;
  readonly sandbox: boolean;
}

function readAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const right =
    url?.protocol === "https:" || (url?.protocol === "http:" && isThisMachine(url.host));
  if (url === undefined || !right || url.pathname !== "/" || url.port === "0") {
    const hint =
      "Enter an address such as http://localhost:8787 on this machine, or https://gate.example.com.";
    throw new CommandError(`${text} is not the address of a service.`, EXIT.usage, hint);
  }
  return url;
}

/** `50.00 EUR`, `ask` or `never`, as a policy. */
function readLimit(text: string): JsonObject {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const [, limit, currency] = /^(\d[\d.]*) ?([A-Za-z]{3})$/.exec(text) ?? [];
  const made =
    limit === undefined || currency === undefined
      ? policyPreset(text === "never" ? "read_only" : "ask_always", { timezone })
      : policyPreset("automatic_under", { limit, currency: currency.toUpperCase(), timezone });
  const known = limit !== undefined || text === "ask" || text === "never";
  if (made.ok && known) return made.value;
  const hint = "Enter an amount such as `50.00 EUR`, or `ask`, or `never`.";
  throw new CommandError(`${text} is not a limit.`, EXIT.usage, hint);
}

function readYes(text: string): boolean {
  if (/^(?:y|yes)$/i.test(text)) return true;
  if (/^(?:n|no)$/i.test(text)) return false;
  throw new CommandError(`${text} is neither yes nor no.`, EXIT.usage, "Answer yes or no.");
}

/** The domain as it is stored; on this machine, or for it, also names that nobody else knows. */
async function readSite(text: string, development: boolean): Promise<string> {
  const { readDomain } = await import("@gatehouse/server");
  const read = readDomain(text, { development });
  if (read.ok) return read.value;
  throw new CommandError(`${text} is not a domain: ${read.detail}.`, EXIT.usage, "Enter it again.");
}

const DEFAULT_PORT = 8787;
/** Answers to one question before it is given up. */
const TRIES_MAX = 5;

interface Question<T> {
  readonly text: string;
  /** What an option said: it is not asked for, and not asked again. */
  readonly given?: string | undefined;
  readonly proposed?: string;
  readonly read: (text: string) => T | Promise<T>;
}

/** Asks one of the five, again where it is not understood; an empty line takes what is proposed. */
async function ask<T>(terminal: Terminal, question: Question<T>): Promise<T> {
  const { text, given, proposed, read } = question;
  if (given !== undefined) return read(given);
  if (terminal.ask === undefined) {
    if (proposed !== undefined) return read(proposed);
    const hint = "Pass the answers as options, at least --domain. See `gatehouse init --help`.";
    throw new CommandError(
      "This is not an interactive terminal, so no question can be asked.",
      EXIT.usage,
      hint,
    );
  }
  const shown = proposed === undefined ? text : `${text} [${proposed}]`;
  for (let tries = 1; ; tries += 1) {
    const answer = (await terminal.ask(`${shown} `)).trim() || proposed;
    try {
      if (answer !== undefined) return await read(answer);
      if (tries === TRIES_MAX) return await read("");
    } catch (error) {
      if (!(error instanceof CommandError) || tries === TRIES_MAX) throw error;
      terminal.err(`${error.message} ${error.hint}`);
    }
  }
}

/** The five questions, but for what options have answered. */
export async function askAll(terminal: Terminal, given: Given): Promise<Answers> {
  const domain = await ask(terminal, {
    text: "1. The domain of your site?",
    given: given.domain,
    read: (text) => readSite(text, true),
  });
  const name = await ask(terminal, {
    text: "2. The name of your site, as agents see it?",
    given: given.name,
    proposed: domain,
    read: (text) => text,
  });
  const address = await ask(terminal, {
    text: "3. The address at which agents reach this service?",
    given: given.address,
    proposed: `http://localhost:${Number(terminal.env.GATEHOUSE_PORT) || DEFAULT_PORT}`,
    read: readAddress,
  });
  const policy = await ask(terminal, {
    text: "4. Up to which amount can agents buy without your approval (such as 50.00 EUR, ask, or never)?",
    given: given.limit,
    proposed: "ask",
    read: readLimit,
  });
  const chosen = given.sandbox === undefined ? undefined : given.sandbox ? "yes" : "no";
  const sandbox = await ask(terminal, {
    text: "5. Connect a test payment provider that moves no money?",
    given: chosen,
    proposed: "yes",
    read: readYes,
  });
  // A service that others reach is in production, and takes no names of this machine.
  await readSite(domain, isThisMachine(address.host));
  return { domain, name, address, policy, sandbox };
}
