import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIPv6, type LookupFunction } from "node:net";
import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Clock } from "./clock.js";
import type { Target } from "./target.js";

export type RequestFault = "timed_out" | "unreachable" | "too_large" | "redirected" | "encoded";

export interface SafeResponse {
  readonly status: number;
  readonly contentType: string;
  readonly cacheControl: string;
  readonly body: Uint8Array;
}

/** An answer to a signed message. */
export interface SignedResponse extends SafeResponse {
  /** The headers of its signature, in lower case; empty texts if it has none. */
  readonly signed: Readonly<Record<(typeof SIGNED_HEADERS)[number], string>>;
}

const SIGNED_HEADERS = ["webhook-id", "webhook-timestamp", "webhook-signature"] as const;

/** The user agent of requests that have no other. */
const USER_AGENT = "Gatehouse";

/** What a request brings, where it is a POST. */
export interface Posted {
  /** In lower case; the client's own headers go before these. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** What a request brings, whatever it is. */
interface Sent extends Partial<Posted> {
  readonly userAgent?: string | undefined;
}

export interface RequestLimits {
  readonly totalMs: number;
  readonly bodyBytes: number;
}

const HEADER_BYTES_MAX = 16_384;

/** Connects to the checked address whatever DNS says by now; the name stays for TLS and Host. */
function pinned(address: string): LookupFunction {
  const family = isIPv6(address) ? 6 : 4;
  return (_host, options, done) => {
    if (options.all === true) done(null, [{ address, family }]);
    else done(null, address, family);
  };
}

/** Prepares a GET, or a POST if there is a body, to a checked target. */
export function openRequest(target: Target, sent: Sent = {}): ClientRequest {
  const { url } = target;
  const { headers, body, userAgent = USER_AGENT } = sent;
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  return send({
    method: body === undefined ? "GET" : "POST",
    host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: target.port,
    path: `${url.pathname}${url.search}`,
    lookup: pinned(target.address),
    // Whatever the environment says: an unknown certificate is an unknown host.
    rejectUnauthorized: true,
    // No pool, no cookies, no credentials: nothing of one request reaches another.
    agent: false,
    maxHeaderSize: HEADER_BYTES_MAX,
    headers: {
      ...headers,
      ...(body === undefined ? {} : { "content-length": body.length }),
      host: url.host,
      "user-agent": userAgent,
      accept: "*/*",
      "accept-encoding": "identity",
      connection: "close",
    },
  });
}

const FIRST_ALLOCATION_BYTES = 4096;

/** Collects into one buffer that grows: a body sent byte by byte costs no more than any other. */
class Collector {
  private bytes = Buffer.alloc(FIRST_ALLOCATION_BYTES);
  private size = 0;
  private readonly bytesMax: number;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** False when the chunk does not fit any more. */
  add(chunk: Buffer): boolean {
    const end = this.size + chunk.length;
    if (end > this.bytesMax) return false;
    if (end > this.bytes.length) {
      const grown = Buffer.alloc(Math.min(this.bytesMax, Math.max(end, 2 * this.bytes.length)));
      this.bytes.copy(grown, 0, 0, this.size);
      this.bytes = grown;
    }
    chunk.copy(this.bytes, this.size);
    this.size = end;
    return true;
  }

  collected(): Uint8Array {
    // A copy of the exact size, so that caches do not keep the larger buffer.
    return Uint8Array.prototype.slice.call(this.bytes, 0, this.size);
  }
}

function readBody(
  response: IncomingMessage,
  bytesMax: number,
): Promise<Result<Uint8Array, "too_large" | "unreachable">> {
  return new Promise((resolve) => {
    const body = new Collector(bytesMax);
    const cut = () => resolve(refuse("unreachable", "the answer was cut short"));
    response.on("data", (chunk: Buffer) => {
      if (body.add(chunk)) return;
      response.destroy();
      resolve(refuse("too_large", `the answer is larger than ${bytesMax} bytes`));
    });
    response.on("end", () => resolve(ok(body.collected())));
    response.on("close", cut);
    response.on("error", cut);
  });
}

const isRedirect = (status: number) => status >= 300 && status < 400;

function redirected(status: number): Result<never, RequestFault> {
  return refuse("redirected", `the answer is a redirect (${status}), which is not followed`);
}

async function readResponse(
  response: IncomingMessage,
  limits: RequestLimits,
): Promise<Result<SafeResponse, RequestFault>> {
  const status = response.statusCode ?? 0;
  if (isRedirect(status)) return redirected(status);
  const encoding = response.headers["content-encoding"] ?? "identity";
  if (encoding !== "identity") return refuse("encoded", "the answer is compressed");
  if (Number(response.headers["content-length"] ?? 0) > limits.bodyBytes) {
    return refuse("too_large", `the answer is larger than ${limits.bodyBytes} bytes`);
  }
  const body = await readBody(response, limits.bodyBytes);
  if (!body.ok) return body;
  const { "content-type": contentType = "", "cache-control": cacheControl = "" } = response.headers;
  return ok({ status, contentType, cacheControl, body: body.value });
}

async function readSigned(
  response: IncomingMessage,
  limits: RequestLimits,
): Promise<Result<SignedResponse, RequestFault>> {
  const read = await readResponse(response, limits);
  if (!read.ok) return read;
  const texts = SIGNED_HEADERS.map((name) => [name, String(response.headers[name] ?? "")]);
  return ok({ ...read.value, signed: Object.fromEntries(texts) as SignedResponse["signed"] });
}

/** A receiver's status. What it writes besides is not read: it may be long, slow or compressed. */
function readStatus(response: IncomingMessage): Result<SafeResponse, RequestFault> {
  const status = response.statusCode ?? 0;
  if (isRedirect(status)) return redirected(status);
  return ok({ status, contentType: "", cacheControl: "", body: new Uint8Array() });
}

/**
 * One GET of a checked target, or one POST, within its time and size, following nothing. Of the answer to a POST
 * only the status is read, unless it may have a body.
 */
export function requestTarget(
  target: Target,
  limits: RequestLimits,
  clock: Clock,
  { posted, userAgent }: { readonly posted?: Posted; readonly userAgent?: string } = {},
): Promise<Result<SafeResponse, RequestFault>> {
  return new Promise((resolve) => {
    const request = openRequest(target, { ...posted, userAgent });
    const finish = (result: Result<SafeResponse, RequestFault>) => {
      cancel();
      resolve(result);
      request.destroy();
    };
    const cancel = clock.after(limits.totalMs, () =>
      finish(refuse("timed_out", `no whole answer within ${limits.totalMs} ms`)),
    );
    request.on("error", (error: NodeJS.ErrnoException) =>
      finish(refuse("unreachable", `the connection failed (${error.code ?? error.name})`)),
    );
    let answered = false;
    request.on("response", (response) => {
      answered = true;
      if (posted === undefined) void readResponse(response, limits).then(finish);
      else if (limits.bodyBytes === 0) finish(readStatus(response));
      else void readSigned(response, limits).then(finish);
    });
    // A connection that ends without answer or error, as after 101, must not hold its place.
    request.on("close", () => {
      if (!answered) finish(refuse("unreachable", "the connection closed without an answer"));
    });
    request.end(posted?.body);
  });
}
