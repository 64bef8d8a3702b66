import { type JsonValue, parseJson } from "@gatehouse/protocol";
import type { Clock } from "../clock.js";
import { BodyBytes } from "./body-bytes.js";
import { isJsonType, isPlainEncoding } from "./json-type.js";
import { Problem } from "./problem.js";

export const BODY_MS_MAX = 15_000;
/** The rest of the body is not read, so the connection cannot carry another request. */
export const UNREAD_REST = { connection: "close" };

/** Reads a body while counting, so that a large one costs no more than its limit. */
export async function readBytes(
  request: Request,
  bytesMax: number,
  clock: Clock,
): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const reader = request.body.getReader();
  let cancel = () => {};
  const late = new Promise<never>((_, reject) => {
    cancel = clock.after(BODY_MS_MAX, () => {
      reject(new Problem("request_timeout", { headers: UNREAD_REST }));
    });
  });
  const bytes = new BodyBytes(bytesMax);
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return bytes.whole();
      if (!bytes.add(value)) {
        throw new Problem("body_too_large", {
          message: `The body is larger than the ${bytesMax} bytes this route takes.`,
          headers: UNREAD_REST,
        });
      }
    }
  } catch (error) {
    await reader.cancel().catch(() => undefined);
    if (error instanceof Problem) throw error;
    throw new Problem("invalid_request", {
      message: "The body was cut short.",
      headers: UNREAD_REST,
    });
  } finally {
    cancel();
  }
}

export function requirePlainEncoding(encoding: string | undefined): void {
  if (!isPlainEncoding(encoding)) {
    throw new Problem("unsupported_media_type", {
      message: "Compressed bodies are not accepted. Send the body without Content-Encoding.",
    });
  }
}

export function requireJsonType(type = ""): void {
  if (!isJsonType(type)) throw new Problem("unsupported_media_type");
}

/** The bytes of a body that says to be JSON, counted while they come; an absent one has none. */
export async function readJsonBytes(
  request: Request,
  bytesMax: number,
  clock: Clock,
): Promise<Uint8Array> {
  requirePlainEncoding(request.headers.get("content-encoding") ?? undefined);
  const bytes = await readBytes(request, bytesMax, clock);
  if (bytes.length > 0) requireJsonType(request.headers.get("content-type") ?? undefined);
  return bytes;
}

/**
 * A strict JSON body, as its text and as its value. An absent body reads as an empty object, for
 * routes whose fields are all optional.
 */
export async function readJson(
  request: Request,
  bytesMax: number,
  clock: Clock,
): Promise<{ readonly text: string; readonly value: JsonValue }> {
  const bytes = await readJsonBytes(request, bytesMax, clock);
  if (bytes.length === 0) return { text: "{}", value: {} };
  const parsed = parseJson(bytes);
  if (!parsed.ok) {
    throw new Problem("invalid_request", {
      message: `The body is not strict JSON: ${parsed.detail}.`,
    });
  }
  return { text: new TextDecoder().decode(bytes), value: parsed.value };
}
