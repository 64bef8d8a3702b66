import { readFileSync, statSync } from "node:fs";
import { isJsonObject, parseJson } from "@gatehouse/protocol";
import { CommandError, EXIT } from "../exit.js";
import { plainText } from "../terminal.js";
import { reachLocalNames } from "./local-names.js";

const FETCH_MS_MAX = 10_000;
const BYTES_MAX = 8 * 1024 * 1024;

/** Bytes to verify, and where they came from. */
export interface Source {
  readonly bytes: Uint8Array;
  /** The address after redirects; undefined for a file. */
  readonly url: URL | undefined;
}

async function readLimited(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > BYTES_MAX) {
      const why = `The answer has more than ${BYTES_MAX} bytes.`;
      throw new CommandError(why, EXIT.failed, "No signed document is as long: check the address.");
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** What a service says of a refusal, where it speaks as Gatehouse does. */
async function messageOf(response: Response): Promise<string | undefined> {
  const text = new TextDecoder().decode(await readLimited(response));
  const parsed = parseJson(text);
  const message = parsed.ok && isJsonObject(parsed.value) ? parsed.value.message : undefined;
  return typeof message === "string" ? plainText(message) : undefined;
}

async function fetchSource(url: string): Promise<Source> {
  const headers = { accept: "application/json, text/html;q=0.9, */*;q=0.5" };
  const signal = AbortSignal.timeout(FETCH_MS_MAX);
  reachLocalNames();
  try {
    const response = await fetch(url, { headers, signal });
    if (response.status !== 200) {
      const said = [await messageOf(response), "Check the address."].filter(Boolean).join(" ");
      throw new CommandError(`${url} answered with status ${response.status}.`, EXIT.failed, said);
    }
    const from = new URL(response.url);
    if (from.origin !== new URL(url).origin) {
      const hint = "Verify that address itself, if you trust it.";
      throw new CommandError(`${url} leads to another server, ${from.host}.`, EXIT.failed, hint);
    }
    return { bytes: await readLimited(response), url: from };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { code = "" } = ((error as Error).cause ?? {}) as { code?: string };
    const why = code === "" ? "" : ` (${code})`;
    const hint = "Check the address, and whether the service is up.";
    throw new CommandError(`${url} does not answer${why}.`, EXIT.unreachable, hint);
  }
}

/** Reads a regular file of bearable size; a device or pipe might never end. */
function readFile(path: string): Source {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile()) {
    const hint = /^[\w-]+(\.[\w-]+)+$/.test(path)
      ? `For a site, name its page: https://<service>/v1/agent/domain/${path}`
      : "Name a file that is there, or an address that begins with https://";
    throw new CommandError(`${path} is neither a file nor an http(s) address.`, EXIT.usage, hint);
  }
  if (found.size > BYTES_MAX) {
    const why = `${path} has more than ${BYTES_MAX} bytes.`;
    throw new CommandError(why, EXIT.failed, "No signed document is as long: check the name.");
  }
  try {
    return { bytes: readFileSync(path), url: undefined };
  } catch {
    throw new CommandError(`${path} cannot be read.`, EXIT.failed, "Check who may read it.");
  }
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** Reads what a person named: an http(s) address, or a file. */
export async function readSource(text: string): Promise<Source> {
  return isAddress(text) ? fetchSource(text) : readFile(text);
}
