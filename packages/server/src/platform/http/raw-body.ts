import type { IncomingMessage } from "node:http";
import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Clock } from "../clock.js";
import { BODY_MS_MAX, requireJsonType, requirePlainEncoding, UNREAD_REST } from "./body.js";
import { BodyBytes } from "./body-bytes.js";
import { Problem } from "./problem.js";

export type BodyFault = "body_too_large" | "request_timeout" | "invalid_request";

/**
 * A whole body for doors in front of the kernel, counted while it comes, and told once. A refused
 * one is left unread: its connection cannot carry another request.
 */
export function collectBody(
  request: IncomingMessage,
  bytesMax: number,
  clock: Clock,
  done: (body: Result<Uint8Array, BodyFault>) => void,
): void {
  const bytes = new BodyBytes(bytesMax);
  let finished = false;
  let cancel = () => {};
  const finish = (result: Result<Uint8Array, BodyFault>) => {
    if (finished) return;
    finished = true;
    cancel();
    if (!result.ok) request.pause();
    done(result);
  };
  // Most bodies come with their head: only for the others there is something to wait for.
  setImmediate(() => {
    if (finished) return;
    cancel = clock.after(BODY_MS_MAX, () => {
      finish(refuse("request_timeout", "the body did not arrive in time"));
    });
  });
  request.on("data", (chunk: Buffer) => {
    if (bytes.add(chunk)) return;
    finish(refuse("body_too_large", `the body is larger than ${bytesMax} bytes`));
  });
  request.on("end", () => finish(ok(bytes.whole())));
  request.on("error", () => finish(refuse("invalid_request", "the body was cut short")));
}

/** The bytes of a body that says to be JSON, for doors in front of the kernel that throw. */
export async function readRawJson(
  request: IncomingMessage,
  bytesMax: number,
  clock: Clock,
): Promise<Uint8Array> {
  const { "content-type": type, "content-encoding": encoding } = request.headers;
  requirePlainEncoding(encoding);
  const body = await new Promise<Result<Uint8Array, BodyFault>>((resolve) => {
    collectBody(request, bytesMax, clock, resolve);
  });
  if (!body.ok) {
    const message = `Refused: ${body.detail}.`;
    throw new Problem(body.reason, { message, headers: UNREAD_REST });
  }
  if (body.value.length > 0) requireJsonType(type);
  return body.value;
}
