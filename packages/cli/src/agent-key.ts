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
    const there =
      code === "EEXIST" ? " The file already exists, and keys are never overwritten." : "";
    const hint = "Choose another file with --out.";
    throw new CommandError(`${file} cannot be written.${there}`, EXIT.failed, hint);
  }
}

/** The public part of a key in a file: all that another end may know of it. */
export function readPublicKey(file: string): Record<"kty" | "crv" | "x", unknown> {
  if (!existsSync(file)) {
    const hint = `Ask the agent's developer for the key, or create one: gatehouse agent keygen --out ${file}`;
    throw new CommandError(`${file} does not exist.`, EXIT.failed, hint);
  }
  try {
    const { kty, crv, x } = JSON.parse(readFileSync(file, "utf8"));
    return { kty, crv, x };
  } catch {
    const hint =
      "Use a file that `gatehouse agent keygen` wrote, or one with the public key that it printed.";
    throw new CommandError(`${file} does not contain a public JWK.`, EXIT.failed, hint);
  }
}

export async function readKey(file: string): Promise<AgentKey> {
  if (!existsSync(file)) {
    const hint = `Create a key: gatehouse agent keygen --out ${file}`;
    throw new CommandError(`${file} does not exist.`, EXIT.failed, hint);
  }
  try {
    return await openAgentKey(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    const hint = "Use the file that `gatehouse agent keygen --out` wrote.";
    throw new CommandError(`${file} does not contain an agent key.`, EXIT.failed, hint);
  }
}

/** What the words of the agent library probably mean for whoever typed the address. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /does not answer/,
    "Check the address and whether the site is up. If the site does not serve its own card, use the card's address, which `gatehouse site show` prints.",
  ],
  [
    /plain http/,
    "Plain HTTP works only on this machine: localhost and its subdomains, 127.0.0.1 and [::1].",
  ],
  [/stopped in the middle/, "Try again. If it keeps failing, ask the owner of the site."],
  [
    /is not valid/,
    "Specify the service whose keys you trust, such as --keys https://gate.example.com",
  ],
  [/redirects to another server/, "If you trust that address, use it directly."],
  [
    /status \d|is not an address|without an agent card|JSON object/,
    "Use the address of the site or of its card. `gatehouse site show` prints both.",
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
