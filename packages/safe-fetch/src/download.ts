import type { IncomingMessage } from "node:http";
import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Clock } from "./clock.js";
import { openRequest, type RequestFault } from "./request.js";
import type { Target } from "./target.js";

/** An answer whose body is read piece by piece. It can be read only inside the function that gets it. */
export interface Download {
  readonly status: number;
  readonly contentType: string;
  /** Validators of the body; empty if the answer has none. */
  readonly etag: string;
  readonly lastModified: string;
  /** Ends with an error if the body is too large, too slow or cut short. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface DownloadLimits {
  /** For the answer and its whole body, with all redirects. */
  readonly totalMs: number;
  readonly bodyBytes: number;
}

/** What one request of a download came to. */
export type Downloaded<T> =
  | { readonly kind: "read"; readonly value: T }
  | { readonly kind: "redirect"; readonly location: string };

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Thrown to the reader of a body, and caught below. */
class DownloadError extends Error {
  override readonly name = "DownloadError";
  readonly fault: RequestFault;

  constructor(fault: RequestFault, message: string) {
    super(message);
    this.fault = fault;
  }
}

async function* piecesOf(
  response: IncomingMessage,
  bytesMax: number,
  problem: () => DownloadError | undefined,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const piece of response) {
      bytes += (piece as Buffer).length;
      if (bytes > bytesMax) {
        throw new DownloadError("too_large", `the answer is larger than ${bytesMax} bytes`);
      }
      yield piece as Buffer;
    }
  } catch (error) {
    if (error instanceof DownloadError) throw error;
    throw problem() ?? new DownloadError("unreachable", "the answer was cut short");
  }
}

function faultOf(response: IncomingMessage, bytesMax: number): DownloadError | undefined {
  const { "content-encoding": encoding = "identity", "content-length": length = "0" } =
    response.headers;
  if (encoding !== "identity") return new DownloadError("encoded", "the answer is compressed");
  if (Number(length) > bytesMax) {
    return new DownloadError("too_large", `the answer is larger than ${bytesMax} bytes`);
  }
  return undefined;
}

/** One GET of a checked target whose body `read` takes as it arrives. Redirects are returned, not followed. */
export async function downloadTarget<T>(
  target: Target,
  limits: DownloadLimits,
  clock: Clock,
  headers: Readonly<Record<string, string>>,
  read: (answer: Download) => Promise<T>,
): Promise<Result<Downloaded<T>, RequestFault>> {
  let late: DownloadError | undefined;
  const request = openRequest(target, { headers });
  const cancel = clock.after(limits.totalMs, () => {
    late = new DownloadError("timed_out", `no whole answer within ${limits.totalMs} ms`);
    request.destroy(late);
  });
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request.on("response", resolve);
      request.on("error", (error: NodeJS.ErrnoException) => {
        const why = `the connection failed (${error.code ?? error.name})`;
        reject(late ?? new DownloadError("unreachable", why));
      });
      request.on("close", () => {
        reject(new DownloadError("unreachable", "the connection closed without an answer"));
      });
      request.end();
    });
    const { statusCode: status = 0, headers: answered } = response;
    if (REDIRECTS.has(status)) {
      return ok({ kind: "redirect", location: answered.location ?? "" });
    }
    const fault = faultOf(response, limits.bodyBytes);
    if (fault !== undefined) throw fault;
    const value = await read({
      status,
      contentType: answered["content-type"] ?? "",
      etag: answered.etag ?? "",
      lastModified: answered["last-modified"] ?? "",
      body: piecesOf(response, limits.bodyBytes, () => late),
    });
    return ok({ kind: "read", value });
  } catch (error) {
    if (error instanceof DownloadError) return refuse(error.fault, error.message);
    throw error;
  } finally {
    cancel();
    request.destroy();
  }
}
