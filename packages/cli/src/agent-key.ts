import { existsSync, readFileSync, writeFileSync } from "node:fs";
import {
  AgentError,
  type AgentKey,
  type DiscoveredSite,
  discover,
  openAgentKey,
} from "@gatehouse/agent";
import { explainedAt } from "./error-page.js";
import { CommandError, EXIT } from "./exit.js";
import { plainText } from "./terminal.js";
import { reachLocalNames } from "./verify/local-names.js";

/** A key file holds a private key: nobody else may read it, and none is written over. */
export function writeKey(file: string, key: unknown): void {
  try {
    writeFileSync(file, `${JSON.stringify(key, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const there = code === "EEXIST" ? " There is a file already; a key is not written over." : "";
    const hint = "Name another file with --out.";
    throw new CommandError(`${file} cannot be written.${there}`, EXIT.failed, hint);
  }
}

/** The public part of a key in a file: all that another end may know of it. */
export function readPublicKey(file: string): Record<"kty" | "crv" | "x", unknown> {
  if (!existsSync(file)) {
    const hint = `Ask the agent's developer for it. Make one: gatehouse agent keygen --out ${file}`;
    throw new CommandError(`There is no key in ${file}.`, EXIT.failed, hint);
  }
  try {
    const { kty, crv, x } = JSON.parse(readFileSync(file, "utf8"));
    return { kty, crv, x };
  } catch {
    const hint = "Name a file with what `gatehouse agent keygen` printed or wrote.";
    throw new CommandError(`${file} holds no public JWK.`, EXIT.failed, hint);
  }
}

export async function readKey(file: string): Promise<AgentKey> {
  if (!existsSync(file)) {
    const hint = `Make one: gatehouse agent keygen --out ${file}`;
    throw new CommandError(`There is no key in ${file}.`, EXIT.failed, hint);
  }
  try {
    return await openAgentKey(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    const hint = "Name the file that `gatehouse agent keygen --out` wrote.";
    throw new CommandError(`${file} holds no key of an agent.`, EXIT.failed, hint);
  }
}

/** What the words of the agent library probably mean for whoever typed the address. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /does not answer/,
    "Check the address, and whether it is up. A site that does not serve its card itself: name the card's address, which `gatehouse site show` prints.",
  ],
  [
    /plain http/,
    "Plain http is for this machine only: localhost, names below it, 127.0.0.1 and [::1].",
  ],
  [/breaks off/, "Try again. If it stays so, ask the owner of the site."],
  [/does not hold/, "Name the service whose keys you trust, as in --keys https://gate.example.com"],
  [/leads to another server/, "Name that address itself, if you trust it."],
  [
    /status \d|is no address|without an agent card|JSON object/,
    "Name the site's own address, or that of its card: `gatehouse site show` prints it.",
  ],
];

function hintFor({ message, docsUrl }: AgentError): string {
  const page = explainedAt(docsUrl);
  if (page !== undefined) return `See ${page}`;
  const known = HINTS.find(([words]) => words.test(message));
  return known?.[1] ?? "Ask the owner of the site.";
}

/** Runs what an agent does; what the other end refuses is told in a sentence. */
export async function asAgent<T>(task: () => Promise<T>): Promise<T> {
  reachLocalNames();
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    // Only what never answered has a cause: that of the connection.
    const code = error.cause === undefined ? EXIT.failed : EXIT.unreachable;
    throw new CommandError(`${plainText(error.message).replace(/\.$/, "")}.`, code, hintFor(error));
  }
}

/** An origin alone means its well-known key set. */
function keysAddress(text: string): string {
  return /^https?:\/\/[^/]+\/?$/.test(text)
    ? `${text.replace(/\/$/, "")}/.well-known/jwks.json`
    : text;
}

/** A site by its address, if its card holds by the keys that are trusted. */
export function discovered(site: string, keys: string | undefined): Promise<DiscoveredSite> {
  return discover(site, keys === undefined ? {} : { keys: keysAddress(keys) });
}
