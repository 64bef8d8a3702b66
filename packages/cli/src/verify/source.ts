import { existsSync, readFileSync } from "node:fs";
import { CommandError, EXIT } from "../exit.js";

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
      throw new CommandError(`The answer has more than ${BYTES_MAX} bytes.`, EXIT.failed);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function fetchSource(url: string): Promise<Source> {
  const headers = { accept: "application/json, text/html;q=0.9, */*;q=0.5" };
  const signal = AbortSignal.timeout(FETCH_MS_MAX);
  try {
    const response = await fetch(url, { headers, signal });
    if (response.status !== 200) {
      const hint =
        response.status === 404 ? "Is the key right, and the domain verified?" : undefined;
      throw new CommandError(`${url} answered with status ${response.status}.`, EXIT.failed, hint);
    }
    return { bytes: await readLimited(response), url: new URL(response.url) };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const { code = "" } = ((error as Error).cause ?? {}) as { code?: string };
    const why = code === "" ? "" : ` (${code})`;
    throw new CommandError(`${url} does not answer${why}.`, EXIT.unreachable);
  }
}

/** Reads what a person named: an http(s) address, or a file. */
export async function readSource(text: string): Promise<Source> {
  if (/^https?:\/\//i.test(text)) return fetchSource(text);
  if (!existsSync(text)) {
    throw new CommandError(`${text} is neither a file nor an http(s) address.`, EXIT.usage);
  }
  try {
    return { bytes: readFileSync(text), url: undefined };
  } catch {
    throw new CommandError(`${text} cannot be read.`, EXIT.failed);
  }
}
