import { etagOf } from "../server/etag.js";
import type { Answer } from "../server/exchange.js";
import { DOCUMENTS, type DocumentName } from "./document-kinds.js";
import type { Edition } from "./edition.js";

/** A document as it goes over the wire. */
export interface Document {
  readonly bytes: Buffer;
  readonly etag: string;
  /** All of it. */
  readonly whole: Answer;
  /** The answer to a client that has these bytes already. */
  readonly unchanged: Answer;
}

export async function makeDocument(edition: Edition, name: DocumentName): Promise<Document> {
  const kind = DOCUMENTS[name];
  const bytes = Buffer.from(await kind.make(edition), "utf8");
  const etag = etagOf(bytes, kind.type);
  const headers = { "cache-control": kind.cache, etag, ...kind.headers?.(edition.snapshot) };
  const length = String(bytes.length);
  const whole = { ...headers, "content-type": kind.type, "content-length": length };
  return Object.freeze({
    bytes,
    etag,
    whole: { status: 200, body: bytes, headers: whole, isReused: true },
    unchanged: { status: 304, headers, isReused: true },
  });
}
