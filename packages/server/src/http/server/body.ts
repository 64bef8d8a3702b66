import type { IncomingMessage } from "node:http";
import type { ReasonCode } from "@gatehouse/protocol";
import type { Clock } from "../../infra/clock.js";
import type { Admission } from "./admission/admission.js";
import { callerOf } from "./admission/caller.js";
import { Problem } from "./problem.js";

export const BODY_MS_MAX = 15_000;
/** `Retry-After` when there is no memory for a body. */
const NO_ROOM_RETRY_AFTER_S = "5";
/** The first size of a buffer for a body in pieces; it doubles as it fills. */
const BUFFER_BYTES = 4096;

/** For answers to a request whose body was not read: its connection cannot carry another request. */
export const UNREAD_REST = { connection: "close" };

/**
 * Puts the pieces of a body together as they arrive. Pieces of one byte, kept one by one, would take
 * hundreds of times the memory of their body.
 */
export class BodyBuffer {
  private readonly bytesMax: number;
  /** The whole body so far, if it came in one piece. Most bodies do, and are not copied. */
  private only: Uint8Array | undefined;
  private buffer: Buffer | undefined;
  private length = 0;

  constructor(bytesMax: number) {
    this.bytesMax = bytesMax;
  }

  /** False if the body would be larger than allowed. */
  add(piece: Uint8Array): boolean {
    const length = this.length + piece.length;
    if (length > this.bytesMax) return false;
    if (this.length === 0) {
      this.only = piece;
    } else {
      this.bufferFor(length).set(piece, this.length);
      this.only = undefined;
    }
    this.length = length;
    return true;
  }

  private bufferFor(length: number): Buffer {
    if (this.buffer !== undefined && length <= this.buffer.length) return this.buffer;
    const larger = Buffer.allocUnsafe(Math.min(this.bytesMax, Math.max(BUFFER_BYTES, 2 * length)));
    larger.set(this.only ?? this.buffer?.subarray(0, this.length) ?? []);
    this.buffer = larger;
    return larger;
  }

  /** Frees the memory: a refused request may stay open for a while. */
  drop(): void {
    this.only = undefined;
    this.buffer = undefined;
  }

  whole(): Uint8Array {
    return this.only ?? this.buffer?.subarray(0, this.length) ?? new Uint8Array();
  }
}

export interface BodyTools {
  readonly clock: Clock;
  readonly admission: Admission;
}

function bodyProblem(code: ReasonCode, message: string, headers = {}): Problem {
  return new Problem(code, {
    message: `${message}.`,
    headers: { ...UNREAD_REST, ...headers },
  });
}

export const tooLarge = (bytesMax: number) =>
  bodyProblem(
    "body_too_large",
    `The body is larger than ${bytesMax} bytes, the limit of this route`,
  );

export const noRoom = () =>
  bodyProblem("rate_limited", "Too many bodies are being sent. Try again in a moment", {
    "retry-after": NO_ROOM_RETRY_AFTER_S,
  });

/**
 * Reads a whole body and counts its bytes while they arrive. The rest of a refused body is dropped as it
 * arrives, until the listener closes the connection: a paused request would keep its buffered bytes in
 * memory until then. A body with a too large `Content-Length` is refused before any of it is read.
 */
export function readBytes(
  { clock, admission }: BodyTools,
  request: IncomingMessage,
  bytesMax: number,
): Promise<Uint8Array> {
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) {
    return Promise.reject(tooLarge(bytesMax));
  }
  const body = new BodyBuffer(bytesMax);
  const hold = admission.reserveBody(callerOf(request));
  return new Promise((resolve, reject) => {
    let finished = false;
    let cancel = () => {};
    const finish = (problem?: Problem) => {
      if (finished) return;
      finished = true;
      cancel();
      if (problem === undefined) return resolve(body.whole());
      body.drop();
      reject(problem);
    };
    // Most bodies arrive together with their headers; only the others need a timer.
    setImmediate(() => {
      if (finished) return;
      cancel = clock.after(BODY_MS_MAX, () => {
        finish(bodyProblem("request_timeout", "The body did not arrive in time. Send it again"));
      });
    });
    request.on("data", (chunk: Buffer) => {
      if (finished) return;
      if (!hold(chunk.length)) {
        finish(noRoom());
      } else if (!body.add(chunk)) {
        finish(tooLarge(bytesMax));
      }
    });
    request.on("end", () => finish());
    request.on("error", () => finish(bodyProblem("invalid_request", "The body is incomplete")));
  });
}
