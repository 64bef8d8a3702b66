import { readFileSync, statSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { isJsonObject, parseJson } from "@gatehouse/protocol";
import { CommandError, EXIT } from "../exit.js";
import { readBytes, redirectTarget, sendRequest } from "../http.js";
import { plainText } from "../terminal.js";

const FETCH_MS_MAX = 10_000;
const BYTES_MAX = 8 * 1024 * 1024;
const REDIRECTS_MAX = 5;

/** Bytes to verify, and where they came from. */
export interface Source {
  readonly bytes: Uint8Array;
  /** The address after redirects; undefined for a file. */
  readonly url: URL | undefined;
}

async function readLimited(answer: IncomingMessage): Promise<Uint8Array> {
  const bytes = await readBytes(answer, BYTES_MAX);
  if (bytes !== undefined) return bytes;
  const why = `The answer has more than ${BYTES_MAX} bytes.`;
  throw new CommandError(why, EXIT.failed, "Signed documents are smaller. Check the address.");
}

/** What a service says of a refusal, where it speaks as Gatehouse does. */
async function messageOf(answer: IncomingMessage): Promise<string | undefined> {
  const text = new TextDecoder().decode(await readLimited(answer));
  const parsed = parseJson(text);
  const message = parsed.ok && isJsonObject(parsed.value) ? parsed.value.message : undefined;
  return typeof message === "string" ? plainText(message) : undefined;
}

/** The answer at an address, after redirects within its server. */
async function follow(from: URL): Promise<{ readonly url: URL; readonly answer: IncomingMessage }> {
  const headers = { accept: "application/json, text/html;q=0.9, */*;q=0.5" };
  let url = from;
  for (let hop = 0; hop <= REDIRECTS_MAX; hop++) {
    const answer = await sendRequest(url, { headers, msMax: FETCH_MS_MAX });
    const next = redirectTarget(answer, url);
    if (next === undefined) return { url, answer };
    answer.destroy();
    if (next.origin !== from.origin) {
      const hint = "If you trust that address, verify it directly.";
      throw new CommandError(
        `${from} redirects to another server, ${next.host}.`,
        EXIT.failed,
        hint,
      );
    }
    url = next;
  }
  const hint = "Use the final address directly.";
  throw new CommandError(`${from} redirects too many times.`, EXIT.failed, hint);
}

async function fetchSource(text: string): Promise<Source> {
  try {
    const { url, answer } = await follow(new URL(text));
    if (answer.statusCode === 200) return { bytes: await readLimited(answer), url };
    const hint = [await messageOf(answer), "Check the address."].filter(Boolean).join(" ");
    throw new CommandError(`${text} returned status ${answer.statusCode}.`, EXIT.failed, hint);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const why = code === undefined || code === "ABORT_ERR" ? "" : ` (${code})`;
    const hint = "Check the address, and that the service is running.";
    throw new CommandError(`${text} does not answer${why}.`, EXIT.unreachable, hint);
  }
}

/** Reads a regular file of bearable size; a device or pipe might never end. */
function readFile(path: string): Source {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || !stats.isFile()) {
    const hint = /^[\w-]+(\.[\w-]+)+$/.test(path)
      ? `For a site that serves its card, use https://${path}. Otherwise use the address of its page: https://<service>/v1/agent/domain/${path}`
      : "Use an existing file, or an address that begins with https://";
    throw new CommandError(`${path} is neither a file nor an http(s) address.`, EXIT.usage, hint);
  }
  if (stats.size > BYTES_MAX) {
    const why = `${path} is larger than ${BYTES_MAX} bytes.`;
    throw new CommandError(why, EXIT.failed, "Signed documents are smaller. Check the name.");
  }
  try {
    return { bytes: readFileSync(path), url: undefined };
  } catch {
    throw new CommandError(
      `${path} cannot be read.`,
      EXIT.failed,
      "Check the permissions of the file.",
    );
  }
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** Reads what a person named: an http(s) address, or a file. */
export async function readSource(text: string): Promise<Source> {
  return isAddress(text) ? fetchSource(text) : readFile(text);
}
