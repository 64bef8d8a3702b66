import { existsSync, readFileSync, writeFileSync } from "node:fs";
import {
  AgentError,
  type AgentKey,
  type DiscoveredSite,
  discover,
  openAgentKey,
} from "@gatehouse/agent";
import { CommandError, EXIT } from "./exit.js";
import { plainText } from "./terminal.js";

/** A key file holds a private key: nobody else may read it, and none is written over. */
export function writeKey(file: string, key: unknown): void {
  try {
    writeFileSync(file, `${JSON.stringify(key, null, 2)}\n`, { mode: 0o600, flag: "wx" });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const there = code === "EEXIST" ? " There is a file already; a key is not written over." : "";
    throw new CommandError(`${file} cannot be written.${there}`, EXIT.failed);
  }
}

/** The public part of a key in a file: all that another end may know of it. */
export function readPublicKey(file: string): Record<"kty" | "crv" | "x", unknown> {
  if (!existsSync(file)) {
    throw new CommandError(`${file} cannot be read: there is no such file.`, EXIT.failed);
  }
  try {
    const { kty, crv, x } = JSON.parse(readFileSync(file, "utf8"));
    return { kty, crv, x };
  } catch {
    throw new CommandError(`${file} holds no public JWK.`, EXIT.failed);
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
    throw new CommandError(`${file} holds no key of an agent.`, EXIT.failed);
  }
}

/** Runs what an agent does; what the other end refuses is told in a sentence. */
export async function asAgent<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    throw new CommandError(`${plainText(error.message)}.`, EXIT.failed);
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
