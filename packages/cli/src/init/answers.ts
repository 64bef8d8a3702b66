import { CommandError, EXIT } from "../exit.js";
import type { Terminal } from "../terminal.js";
import { isThisMachine } from "../this-machine.js";
import { type Limit, readLimit, readZone } from "./limit.js";

/** What `init` is told, by questions or by options. */
export interface Given {
  readonly domain?: string;
  readonly name?: string;
  readonly address?: string;
  readonly limit?: string;
  readonly timezone?: string;
  readonly sandbox?: boolean;
}

export interface Answers {
  readonly domain: string;
  readonly name: string;
  /** Where agents reach the service. */
  readonly address: URL;
  readonly limit: Limit;
  readonly timezone: string;
  readonly sandbox: boolean;
}

/** An address with its scheme: on this machine plain HTTP is enough, everywhere else it is HTTPS. */
function withScheme(text: string): string {
  if (/^[a-z]+:\/\//i.test(text)) return text;
  // A port of this machine. As a host it would be an IP address, such as 0.0.34.97 for 8801.
  if (/^\d+$/.test(text)) return `http://localhost:${text}`;
  return `${isThisMachine(text) ? "http" : "https"}://${text}`;
}

function readAddress(text: string): URL {
  const given = withScheme(text);
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const right =
    url?.protocol === "https:" || (url?.protocol === "http:" && isThisMachine(url.host));
  if (url === undefined || !right || url.pathname !== "/" || url.port === "0") {
    const hint =
      "Enter an address such as http://localhost:8787 on this machine, or https://gate.example.com.";
    throw new CommandError(`${text} is not the address of a service.`, EXIT.usage, hint);
  }
  refuseNumber(url);
  return url;
}

/** Passkeys are bound to the name of a host, and this machine has one besides its numbers. */
function refuseNumber({ hostname, host, protocol, port }: URL): void {
  if (!isThisMachine(host) || !/^[\d.]+$|^\[/.test(hostname)) return;
  const named = `${protocol}//localhost${port === "" ? "" : `:${port}`}`;
  throw new CommandError(
    "Passkeys need the name of a host, so you could not sign in with one at this address.",
    EXIT.usage,
    `Use ${named}.`,
  );
}

function readYes(text: string): boolean {
  if (/^(?:y|yes)$/i.test(text)) return true;
  if (/^(?:n|no)$/i.test(text)) return false;
  throw new CommandError(`${text} is neither yes nor no.`, EXIT.usage, "Answer yes or no.");
}

/** The host of an address that was copied from a browser; any other text as it is. */
function hostIn(text: string): string {
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text).host : text;
}

/** The domain as it is stored, with names and ports that only this machine knows. */
async function readSite(text: string): Promise<string> {
  const { readDomain } = await import("@gatehouse/server");
  const read = readDomain(hostIn(text), { development: true });
  if (read.ok) return read.value;
  const hint = "Enter the domain of your website.";
  throw new CommandError(`${text} is not a domain: ${read.detail}.`, EXIT.usage, hint);
}

/** A service that others reach is in production, and takes no names of this machine. */
async function refuseLocalSite(domain: string, { host, origin }: URL): Promise<void> {
  const { readDomain } = await import("@gatehouse/server");
  if (isThisMachine(host) || readDomain(domain, { development: false }).ok) return;
  const hint =
    "Use the public domain of your website, such as shop.example.com. " +
    `To try ${domain}, use an address of the service on this machine, such as http://localhost:${DEFAULT_PORT}.`;
  throw new CommandError(
    `${domain} is not a domain that others can reach, but the service at ${origin} is for others.`,
    EXIT.usage,
    hint,
  );
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

/** Asks one question, again where it is not understood; an empty line takes what is proposed. */
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
      terminal.err("This question has no default. Enter an answer, or press Ctrl-C to stop.");
    } catch (error) {
      if (!(error instanceof CommandError) || tries === TRIES_MAX) throw error;
      terminal.err(`${error.message} ${error.hint}`);
    }
  }
}

/** The six questions, but for what options have answered. */
export async function askAll(terminal: Terminal, given: Given): Promise<Answers> {
  const domain = await ask(terminal, {
    text: "1. The domain of your site, such as shop.example.com?",
    given: given.domain,
    read: readSite,
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
  await refuseLocalSite(domain, address);
  const limit = await ask(terminal, {
    text:
      "4. Up to which amount can agents buy without your approval (such as 50.00 EUR, ask, or never)?\n" +
      "   An amount does not limit people who pay themselves on the payment page.",
    given: given.limit,
    proposed: "ask",
    read: readLimit,
  });
  const timezone = await ask(terminal, {
    text: "5. The time zone for rules about hours and days?",
    given: given.timezone,
    proposed: Intl.DateTimeFormat().resolvedOptions().timeZone,
    read: readZone,
  });
  const chosen = given.sandbox === undefined ? undefined : given.sandbox ? "yes" : "no";
  const sandbox = await ask(terminal, {
    text: "6. Connect a test payment provider that moves no money?",
    given: chosen,
    proposed: "yes",
    read: readYes,
  });
  return { domain, name, address, limit, timezone, sandbox };
}
