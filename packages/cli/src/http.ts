import { type IncomingHttpHeaders, type IncomingMessage, request as overHttp } from "node:http";
import { request as overHttps } from "node:https";
import { Readable } from "node:stream";

/** What a command sends. Without a method it is a GET. */
export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | AsyncIterable<Uint8Array>;
  /** How long the whole exchange may take, in milliseconds. */
  readonly msMax: number;
  /** Scheme, host and port of the connection, if they are not those of the address. */
  readonly connect?: URL;
}

/** Names below localhost are this machine (RFC 6761), which not every resolver knows. */
const LOCAL = /(?:^|\.)localhost$/i;

/**
 * Sends a request and waits for the headers of the answer. Redirects are answers like others.
 * Not `fetch`: loading it takes longer than most commands take in all.
 */
export function sendRequest(url: URL, sent: Sent): Promise<IncomingMessage> {
  const { method = "GET", headers, body, msMax, connect: to = url } = sent;
  return new Promise((resolve, reject) => {
    const open = to.protocol === "https:" ? overHttps : overHttp;
    const request = open({
      method,
      host: LOCAL.test(to.hostname) ? "localhost" : to.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: to.port,
      path: url.pathname + url.search,
      agent: false,
      headers: { host: url.host, accept: "*/*", ...headers },
      signal: AbortSignal.timeout(msMax),
    });
    request.on("response", resolve).on("error", reject);
    if (body === undefined || typeof body === "string") return void request.end(body);
    const pieces = Readable.from(body);
    pieces.on("error", (error) => request.destroy(error)).pipe(request);
  });
}

export const isSuccess = ({ statusCode = 0 }: IncomingMessage): boolean =>
  statusCode >= 200 && statusCode < 300;

/** The bytes of an answer; undefined if there are more than `bytesMax`. */
export async function readBytes(
  answer: IncomingMessage,
  bytesMax: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer) {
    size += (chunk as Buffer).length;
    if (size > bytesMax) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}

/** Where a redirect leads; undefined for any other answer, and if it does not lead to a web address. */
export function redirectTarget(
  { statusCode = 0, headers: { location = "" } }: RedirectAnswer,
  from: URL,
): URL | undefined {
  if (statusCode < 300 || statusCode >= 400 || location === "") return undefined;
  const to = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  return to !== undefined && /^https?:$/.test(to.protocol) ? to : undefined;
}

interface RedirectAnswer {
  readonly statusCode?: number | undefined;
  readonly headers: Pick<IncomingHttpHeaders, "location">;
}
