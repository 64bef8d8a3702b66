import type { FeedFormat } from "../../domain/product-feeds/product-feed.js";
import { UnreadableListError } from "../../domain/products/product-lines.js";

/** Bytes that show what a file is. */
const HEAD_BYTES = 4096;

/** Finds out what a feed is from its first bytes. Names and types of files are often wrong. */
export function formatOf(head: Uint8Array): FeedFormat {
  const text = Buffer.from(head)
    .toString("utf8")
    .replace(/^\ufeff/, "")
    .trimStart();
  if (/^<(?:!doctype\s+html|html)\b/i.test(text)) {
    throw new UnreadableListError("The address leads to a web page, not to a product feed.");
  }
  if (text.startsWith("<")) return "google_xml";
  if (/^\{\s*"products"\s*:/.test(text)) return "shopify";
  if (text.startsWith("{")) return "json_lines";
  const [header = ""] = text.split(/\r?\n/, 1);
  if (/[\t,;]/.test(header)) return "google_table";
  throw new UnreadableListError(
    "The format is not known. Use Google's XML or TSV, Shopify's products.json or JSON lines.",
  );
}

/** The first bytes of a body, and the body with them put back. */
export async function withHead(
  body: AsyncIterable<Uint8Array>,
): Promise<{ readonly head: Uint8Array; readonly whole: AsyncIterable<Uint8Array> }> {
  const rest = body[Symbol.asyncIterator]();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < HEAD_BYTES) {
    const next = await rest.next();
    if (next.done === true) break;
    pieces.push(next.value);
    bytes += next.value.length;
  }
  async function* all() {
    yield* pieces;
    for (let next = await rest.next(); next.done !== true; next = await rest.next())
      yield next.value;
  }
  return { head: Buffer.concat(pieces).subarray(0, HEAD_BYTES), whole: all() };
}
