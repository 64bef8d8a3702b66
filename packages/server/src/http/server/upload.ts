import type { Clock } from "../../infra/clock.js";
import { MINUTE_MS } from "../../infra/time.js";
import { isPlainEncoding } from "./json-type.js";
import { Problem } from "./problem.js";

/** How long an upload may stand still. */
const IDLE_MS_MAX = 15_000;
/** And how long it may take in all. */
const UPLOAD_MS_MAX = 10 * MINUTE_MS;

const UNREAD_REST = { connection: "close" };

/** Rejects after a time that can be set anew. */
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

/** A large body piece by piece, counted while it comes: it is never held whole. */
export async function* uploadOf(
  request: Request,
  bytesMax: number,
  clock: Clock,
): AsyncGenerator<Uint8Array> {
  if (!isPlainEncoding(request.headers.get("content-encoding") ?? undefined)) {
    throw new Problem("unsupported_media_type", { message: "Compressed bodies are not accepted." });
  }
  if (request.body === null) return;
  const reader = request.body.getReader();
  const late = deadline(clock);
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late.next()]);
      if (done) return;
      bytes += value.length;
      if (bytes > bytesMax) {
        throw new Problem("body_too_large", {
          message: `The body is larger than the ${bytesMax} bytes this route takes.`,
          headers: UNREAD_REST,
        });
      }
      yield value;
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem("invalid_request", {
      message: "The body was cut short.",
      headers: UNREAD_REST,
    });
  } finally {
    late.end();
    await reader.cancel().catch(() => undefined);
  }
}
