import { etagOf } from "../server/etag.js";
import type { Edition } from "./edition.js";
import { DOCUMENTS, type DocumentName } from "./kinds.js";

/** A document as it goes over the wire. */
export interface Document {
  readonly bytes: Buffer;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether another form is served to whoever asks for Markdown. */
  readonly negotiated: boolean;
}

export async function makeDocument(edition: Edition, name: DocumentName): Promise<Document> {
  const kind = DOCUMENTS[name];
  const bytes = Buffer.from(await kind.make(edition), "utf8");
  const etag = etagOf(bytes, kind.type);
  return Object.freeze({
    bytes,
    etag,
    headers: Object.freeze({
      "content-type": kind.type,
      "cache-control": kind.cache,
      etag,
      ...kind.headers?.(edition.snapshot),
    }),
    negotiated: kind.markdown !== undefined,
  });
}
