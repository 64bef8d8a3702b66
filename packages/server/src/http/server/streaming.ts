import type { Clock } from "../../infra/clock.js";
import { MINUTE_MS } from "../../infra/time.js";
import { BodyBuffer, tooLarge, UNREAD_REST } from "./body.js";
import { isUncompressed } from "./json-body.js";
import { Problem } from "./problem.js";

/** How long an upload may pause. */
const IDLE_MS_MAX = 15_000;
/** How long an upload may take in all. */
const UPLOAD_MS_MAX = 10 * MINUTE_MS;
const CHUNK_CHARS_MIN = 32 * 1024;
/** How often a request that goes on checks that its sender may still send it, so that it ends within a second. */
export const RECHECK_MS = 500;

/** Rejects if the next piece takes too long, or the whole upload does. */
function deadline(clock: Clock) {
  const ends = clock.now() + UPLOAD_MS_MAX;
  let cancel = () => {};
  return {
    next: () => {
      cancel();
      return new Promise<never>((_, reject) => {
        const waitMs = Math.min(IDLE_MS_MAX, Math.max(0, ends - clock.now()));
        cancel = clock.after(waitMs, () => {
          reject(new Problem("request_timeout", { headers: UNREAD_REST }));
        });
      });
    },
    end: () => cancel(),
  };
}

/** Checks, unless it did a moment ago. */
function atTimes(clock: Clock, check: () => Promise<void>) {
  let checkedAt = clock.now();
  return async () => {
    if (clock.now() - checkedAt < RECHECK_MS) return;
    checkedAt = clock.now();
    await check();
  };
}

/** What an upload needs besides its bytes. */
interface UploadTools {
  readonly bytesMax: number;
  readonly clock: Clock;
  /** Throws if the sender may no longer send it. */
  readonly check: () => Promise<void>;
}

/** The rest of a body does not come. */
function cutShort(error: unknown): never {
  if (error instanceof Problem) throw error;
  throw new Problem("invalid_request", {
    message: "The body is incomplete.",
    headers: UNREAD_REST,
  });
}

/** A large body, piece by piece. Its bytes are counted as they arrive, and it is never in memory as a whole. */
export async function* uploadOf(
  request: Request,
  { bytesMax, clock, check }: UploadTools,
): AsyncGenerator<Uint8Array> {
  if (!isUncompressed(request.headers.get("content-encoding") ?? undefined)) {
    throw new Problem("unsupported_media_type", { message: "Compressed bodies are not accepted." });
  }
  if (request.body === null) return;
  const reader = request.body.getReader();
  const late = deadline(clock);
  const recheck = atTimes(clock, check);
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late.next()]).catch(cutShort);
      await recheck();
      if (done) return;
      bytes += value.length;
      if (bytes > bytesMax) {
        throw tooLarge(bytesMax);
      }
      yield value;
    }
  } finally {
    late.end();
    await reader.cancel().catch(() => undefined);
  }
}

/** A file that is read as a whole. */
export async function wholeUpload(request: Request, tools: UploadTools): Promise<Uint8Array> {
  const body = new BodyBuffer(tools.bytesMax);
  for await (const piece of uploadOf(request, tools)) body.add(piece);
  return body.whole();
}

/** Bytes that are read while they are sent, no faster than the reader takes them. */
export function streamOfBytes(parts: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel() {
      await parts.return(undefined);
    },
  });
}

/**
 * An answer that is made while it is sent, no faster than the reader reads it. If that fails, the
 * connection ends early, so a reader never takes a part for the whole.
 */
export function streamOf(chunks: AsyncIterable<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      let text = "";
      while (text.length < CHUNK_CHARS_MIN) {
        const next = await iterator.next();
        if (next.done === true) {
          if (text !== "") controller.enqueue(encoder.encode(text));
          return controller.close();
        }
        text += next.value;
      }
      controller.enqueue(encoder.encode(text));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
