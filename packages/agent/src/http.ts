import {
  concatBytes,
  isJsonObject,
  isSecureUrl,
  type JsonObject,
  parseJson,
  parseUrl,
} from "@gatehouse/protocol";

const REQUEST_MS_MAX = 60_000;
const BODY_BYTES_MAX = 1024 * 1024;

/** An answer with a JSON object in it. */
export interface JsonAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
}

interface AgentErrorOptions extends ErrorOptions {
  readonly docsUrl?: string | undefined;
  readonly reason?: string | undefined;
}

/** The other end did not answer as it should; the sentence says how. */
export class AgentError extends Error {
  override readonly name = "AgentError";
  /** Where the other end explains its refusal, if it said so. */
  readonly docsUrl: string | undefined;
  /** The code of its refusal, such as `rate_limited`, if it gave one: branch on it. */
  readonly reason: string | undefined;

  constructor(message: string, { docsUrl, reason, ...options }: AgentErrorOptions = {}) {
    super(message, options);
    this.docsUrl = docsUrl;
    this.reason = reason;
  }
}

/** Codes of a newer service are codes too; a stranger's prose is none. */
const REASON = /^[a-z][a-z0-9_]{0,63}$/;

/** What a refusal says of itself besides its words. */
export function refusalIn({ reason, docs_url }: JsonObject): AgentErrorOptions {
  return {
    ...(typeof reason === "string" && REASON.test(reason) ? { reason } : {}),
    ...(typeof docs_url === "string" ? { docsUrl: docs_url } : {}),
  };
}

/** By pieces: a short answer may unpack to one that no machine can hold. */
async function readBytes({ body }: Response, url: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = body?.getReader();
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    length += read.value.length;
    if (length > BODY_BYTES_MAX) {
      // Whether that can be told to the other end is of no interest.
      reader?.cancel().catch(() => undefined);
      throw new AgentError(`${url} answers with more than 1 MB`);
    }
    pieces.push(read.value);
  }
  return concatBytes(...pieces);
}

/**
 * Refuses an address that is none, or where others could read and change what is said: what is sent
 * may hold how something is paid, and what comes back says where to send it.
 */
export function checkAddress(url: string): void {
  const parsed = parseUrl(url);
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol)) {
    throw new AgentError(`${url} is not an address`);
  }
  if (isSecureUrl(parsed)) return;
  throw new AgentError(
    `${url} is plain http, which others on the network can read and change; use https`,
  );
}

/** What the system calls a connection that failed, such as ` (ENOTFOUND)`; nothing where it is silent. */
function codeOf(error: unknown): string {
  const { name, cause } = error as Error;
  if (name === "TimeoutError") return " (timeout)";
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  return typeof code === "string" ? ` (${code})` : "";
}

const UNKNOWN_NAME = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_NONAME"]);

/**
 * Names below `localhost` are this machine (RFC 6761 section 6.3). Browsers know that; many systems do
 * not, and Node asks the system. Then the request goes to `localhost`, and still names the host meant.
 */
async function fetchNamed(url: string, init: RequestInit) {
  const { protocol, hostname, host, origin, port, pathname, search } = new URL(url);
  try {
    const response = await fetch(url, init);
    return { response, url: response.url };
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown };
    const local = protocol === "http:" && hostname.endsWith(".localhost");
    if (!local || typeof code !== "string" || !UNKNOWN_NAME.has(code)) throw error;
    const here = `http://localhost${port === "" ? "" : `:${port}`}`;
    const headers = { ...(init.headers as Record<string, string> | undefined), host };
    const response = await fetch(here + pathname + search, { ...init, headers });
    const at = new URL(response.url);
    return { response, url: at.origin === here ? origin + at.pathname + at.search : at.href };
  }
}

/** Sends a request and reads what comes back, following nothing unless told. */
export async function fetchBytes(url: string, init: RequestInit = {}) {
  checkAddress(url);
  const signal = AbortSignal.timeout(REQUEST_MS_MAX);
  let words = "does not answer";
  try {
    const { response, url: from } = await fetchNamed(url, { redirect: "error", signal, ...init });
    words = "stopped in the middle of its answer";
    const bytes = await readBytes(response, url);
    return { status: response.status, headers: response.headers, url: from, bytes };
  } catch (cause) {
    if (cause instanceof AgentError) throw cause;
    throw new AgentError(`${url} ${words}${codeOf(cause)}`, { cause });
  }
}

/** The JSON object in an answer, as strictly as its signatures are checked. */
export function objectIn(bytes: Uint8Array, url: string): JsonObject {
  const parsed = parseJson(bytes);
  if (parsed.ok && isJsonObject(parsed.value)) return parsed.value;
  throw new AgentError(`${url} answers with something other than a JSON object`);
}

export async function getJson(url: string, headers: Record<string, string> = {}) {
  const answer = await fetchBytes(url, { headers: { accept: "application/json", ...headers } });
  return { ...answer, body: objectIn(answer.bytes, url) } satisfies JsonAnswer;
}

export function postJson(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<JsonAnswer> {
  return postText(url, JSON.stringify(body), headers);
}

/** Sends a JSON text exactly as it is. */
export async function postText(
  url: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<JsonAnswer> {
  const {
    status,
    headers: got,
    bytes,
  } = await fetchBytes(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json", ...headers },
    body,
  });
  return { status, headers: got, body: objectIn(bytes, url) };
}
