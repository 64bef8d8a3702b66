import type { IncomingMessage } from "node:http";
import { type JsonValue, ok, parseJson, type Result, refuse } from "@gatehouse/protocol";
import type { Clock } from "../../infra/clock.js";
import type { Admission } from "./admission/admission.js";
import { callerOf } from "./admission/caller.js";
import { BodyBytes } from "./body-bytes.js";
import { isJsonType, isPlainEncoding } from "./json-type.js";
import { Problem } from "./problem.js";

export const BODY_MS_MAX = 15_000;
/** `Retry-After` when there is no memory for a body. */
const NO_ROOM_RETRY_AFTER_S = "5";

/** The rest of the body is dropped, so the connection cannot carry another request. */
export const UNREAD_REST = { connection: "close" };

export type BodyFault = "body_too_large" | "request_timeout" | "invalid_request" | "rate_limited";

interface BodyTools {
  readonly clock: Clock;
  readonly admission: Admission;
}

const tooLarge = (bytesMax: number) =>
  refuse(
    "body_too_large" as const,
    `the body is larger than the ${bytesMax} bytes this route takes`,
  );

/**
 * Reads a whole body and counts its bytes while they arrive. The rest of a refused body is dropped as it
 * arrives, until the listener closes the connection: what a paused request has buffered would stay in
 * memory until then. A body with a too large `Content-Length` is refused before any of it is read.
 */
export function collectBody(
  { clock, admission }: BodyTools,
  request: IncomingMessage,
  bytesMax: number,
  done: (body: Result<Uint8Array, BodyFault>) => void,
): void {
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) {
    done(tooLarge(bytesMax));
    return;
  }
  const bytes = new BodyBytes(bytesMax);
  const hold = admission.bodyOf(callerOf(request));
  let finished = false;
  let cancel = () => {};
  const finish = (result: Result<Uint8Array, BodyFault>) => {
    if (finished) return;
    finished = true;
    cancel();
    if (!result.ok) bytes.drop();
    done(result);
  };
  // Most bodies arrive together with their headers; only the others need a timer.
  setImmediate(() => {
    if (finished) return;
    cancel = clock.after(BODY_MS_MAX, () => {
      finish(refuse("request_timeout", "the body did not arrive in time"));
    });
  });
  request.on("data", (chunk: Buffer) => {
    if (finished) return;
    if (!hold(chunk.length)) {
      finish(refuse("rate_limited", "too many bodies are being sent; try again in a moment"));
    } else if (!bytes.add(chunk)) {
      finish(tooLarge(bytesMax));
    }
  });
  request.on("end", () => finish(ok(bytes.whole())));
  request.on("error", () => finish(refuse("invalid_request", "the body was cut short")));
}

/** The bytes of a body, for routes that throw their refusals. */
export async function readBytes(
  tools: BodyTools,
  request: IncomingMessage,
  bytesMax: number,
): Promise<Uint8Array> {
  const body = await new Promise<Result<Uint8Array, BodyFault>>((resolve) => {
    collectBody(tools, request, bytesMax, resolve);
  });
  if (body.ok) return body.value;
  const wait = body.reason === "rate_limited" ? { "retry-after": NO_ROOM_RETRY_AFTER_S } : {};
  throw new Problem(body.reason, {
    message: `Refused: ${body.detail}.`,
    headers: { ...UNREAD_REST, ...wait },
  });
}

function requirePlainEncoding(encoding: string | undefined): void {
  if (!isPlainEncoding(encoding)) {
    throw new Problem("unsupported_media_type", {
      message: "Compressed bodies are not accepted. Send the body without Content-Encoding.",
      headers: UNREAD_REST,
    });
  }
}

/** Refuses a request by its head alone where its body is not plain JSON. */
export function requireJsonType({ headers }: IncomingMessage): void {
  const isPlain = isPlainEncoding(headers["content-encoding"]);
  if (isPlain && isJsonType(headers["content-type"] ?? "")) return;
  throw new Problem("unsupported_media_type", { headers: UNREAD_REST });
}

/** The bytes of a body with a JSON content type. A request without a body needs no content type. */
export async function readJsonBytes(
  tools: BodyTools,
  request: IncomingMessage,
  bytesMax: number,
): Promise<Uint8Array> {
  const { "content-type": type, "content-encoding": encoding } = request.headers;
  requirePlainEncoding(encoding);
  const isJson = isJsonType(type ?? "");
  const length = Number(request.headers["content-length"] ?? 0);
  if (!isJson && length > 0 && length <= bytesMax) {
    throw new Problem("unsupported_media_type", { headers: UNREAD_REST });
  }
  const bytes = await readBytes(tools, request, bytesMax);
  if (!isJson && bytes.length > 0) throw new Problem("unsupported_media_type");
  return bytes;
}

/**
 * A strict JSON body, as its text and as its value. An absent body reads as an empty object, for
 * routes whose fields are all optional.
 */
export async function readJson(
  tools: BodyTools,
  request: IncomingMessage,
  bytesMax: number,
): Promise<{ readonly text: string; readonly value: JsonValue }> {
  const bytes = await readJsonBytes(tools, request, bytesMax);
  if (bytes.length === 0) return { text: "{}", value: {} };
  const parsed = parseJson(bytes);
  if (!parsed.ok) {
    throw new Problem("invalid_request", {
      message: `The body is not strict JSON: ${parsed.detail}.`,
    });
  }
  return { text: new TextDecoder().decode(bytes), value: parsed.value };
}
