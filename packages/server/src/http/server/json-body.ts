import type { IncomingMessage } from "node:http";
import { type JsonValue, parseJson } from "@gatehouse/protocol";
import { type BodyTools, readBytes, UNREAD_REST } from "./body.js";
import { Problem } from "./problem.js";

const JSON_TYPE = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

function isJson(type: string | undefined): boolean {
  return type === "application/json" || (type !== undefined && JSON_TYPE.test(type));
}

/** Whether a `Content-Encoding` leaves the body as it is. Compressed bodies are not accepted. */
export function isUncompressed(encoding: string | undefined): boolean {
  return encoding === undefined || encoding.toLowerCase() === "identity";
}

/** Refuses a request whose headers do not announce uncompressed JSON, before its body is read. */
export function requireJsonType({ headers }: IncomingMessage): void {
  if (isUncompressed(headers["content-encoding"]) && isJson(headers["content-type"])) return;
  throw new Problem("unsupported_media_type", { headers: UNREAD_REST });
}

/** The bytes of a body with a JSON content type. A request without a body needs no content type. */
export async function readJsonBytes(
  tools: BodyTools,
  request: IncomingMessage,
  bytesMax: number,
): Promise<Uint8Array> {
  const { "content-type": type, "content-encoding": encoding } = request.headers;
  if (!isUncompressed(encoding)) {
    throw new Problem("unsupported_media_type", {
      message: "Compressed bodies are not accepted. Send the body without Content-Encoding.",
      headers: UNREAD_REST,
    });
  }
  const hasType = isJson(type);
  const length = Number(request.headers["content-length"] ?? 0);
  if (!hasType && length > 0 && length <= bytesMax) {
    throw new Problem("unsupported_media_type", { headers: UNREAD_REST });
  }
  const bytes = await readBytes(tools, request, bytesMax);
  if (!hasType && bytes.length > 0) throw new Problem("unsupported_media_type");
  return bytes;
}

/** The value of a strict JSON body. */
export function parseBody(bytes: Uint8Array): JsonValue {
  const parsed = parseJson(bytes);
  if (parsed.ok) return parsed.value;
  const message = `The body is not strict JSON: ${parsed.detail}.`;
  throw new Problem("invalid_request", { message });
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
  const value = parseBody(bytes);
  return { text: new TextDecoder().decode(bytes), value };
}
