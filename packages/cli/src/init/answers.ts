import { type JsonObject, policyPreset } from "@gatehouse/protocol";
import { CommandError, EXIT } from "../exit.js";
import type { Terminal } from "../terminal.js";

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

const LOCAL = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** Whether it stays on this machine: plain HTTP is enough there, and nobody has to prove anything. */
export function isLocal(host: string): boolean {
  return LOCAL.test(host.replace(/:\d+$/, ""));
}

function readAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const right = url?.protocol === "https:" || (url?.protocol === "http:" && isLocal(url.host));
  if (url === undefined || !right || url.pathname !== "/") {
    const hint = "Such as http://localhost:8787 on this machine, or https://gate.example.com.";
    throw new CommandError(`${text} is no address of a service.`, EXIT.usage, hint);
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
  const hint = "Write an amount such as `50.00 EUR`, or `ask`, or `never`.";
  throw new CommandError(`${text} is no limit.`, EXIT.usage, hint);
}

function readYes(text: string): boolean {
  if (/^(?:y|yes)$/i.test(text)) return true;
  if (/^(?:n|no)$/i.test(text)) return false;
  throw new CommandError(`${text} is neither yes nor no.`, EXIT.usage, "Answer yes or no.");
}

/** Asks one of the five; an empty line takes what is proposed. */
async function ask(
  { ask: question }: Terminal,
  text: string,
  given: string | undefined,
  proposed?: string,
): Promise<string> {
  if (given !== undefined) return given;
  if (question === undefined) {
    if (proposed !== undefined) return proposed;
    const hint = "Say --domain; `gatehouse init --help` lists the other answers.";
    throw new CommandError("There is nobody to ask.", EXIT.usage, hint);
  }
  const shown = proposed === undefined ? text : `${text} [${proposed}]`;
  const answer = (await question(`${shown} `)).trim();
  if (answer !== "") return answer;
  if (proposed !== undefined) return proposed;
  return ask({ ask: question } as Terminal, text, given, proposed);
}

/** The five questions, but for what options have answered. */
export async function askAll(terminal: Terminal, given: Given): Promise<Answers> {
  const domain = await ask(terminal, "1. The domain of your site?", given.domain);
  const name = await ask(terminal, "2. Its name, as agents should read it?", given.name, domain);
  const here = `http://localhost:${terminal.env.GATEHOUSE_PORT ?? "8787"}`;
  const address = await ask(
    terminal,
    "3. Where will agents reach this service?",
    given.address,
    here,
  );
  const limitText = "4. Up to what may agents buy by themselves (such as 50.00 EUR; ask; never)?";
  const limit = await ask(terminal, limitText, given.limit, "ask");
  const chosen = given.sandbox === undefined ? undefined : given.sandbox ? "yes" : "no";
  const sandbox = await ask(
    terminal,
    "5. Try it with a processor that moves no money?",
    chosen,
    "yes",
  );
  return {
    ...{ domain: domain.toLowerCase(), name, address: readAddress(address) },
    ...{ policy: readLimit(limit), sandbox: readYes(sandbox) },
  };
}
