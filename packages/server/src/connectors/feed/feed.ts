import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Download, SafeFetch } from "@gatehouse/safe-fetch";
import type { FeedFormat } from "../../domain/product-feeds/product-feed.js";
import {
  jsonLines,
  type ProductLine,
  UnreadableListError,
} from "../../domain/products/product-lines.js";
import type { Clock } from "../../infra/clock.js";
import { MINUTE_MS } from "../../infra/time.js";
import { formatOf, withHead } from "./feed-format.js";
import { googleTableItems } from "./google-table.js";
import { googleXmlItems } from "./google-xml.js";
import { PAGES_MAX, pageAddress, readPage, shopifyItems } from "./shopify.js";

/** Largest feed, and largest page of one that has pages. */
const FEED_BYTES_MAX = 128 * 1024 * 1024;
const PAGE_BYTES_MAX = 16 * 1024 * 1024;
/** For a whole feed, with all its pages. */
const FEED_MS_MAX = 3 * MINUTE_MS;
const VALIDATOR_CHARS_MAX = 500;

/** Where a feed is, and which version of it is known. */
export interface FeedRequest {
  readonly url: string;
  readonly currency: string | null;
  readonly etag: string;
  readonly lastModified: string;
}

/** What was read, with the validators for the next request. */
export interface ReadFeed {
  readonly format: FeedFormat;
  readonly etag: string;
  readonly lastModified: string;
}

/** Takes one item; the next is read when it is done. */
type Take = (line: ProductLine) => Promise<void>;

interface FeedTools {
  readonly safeFetch: SafeFetch;
  readonly clock: Clock;
}

/** A validator that is too long to store counts as absent. */
const storable = (validator: string) => (validator.length > VALIDATOR_CHARS_MAX ? "" : validator);

function validators({ etag, lastModified }: FeedRequest): Record<string, string> {
  return {
    ...(etag === "" ? {} : { "if-none-match": etag }),
    ...(lastModified === "" ? {} : { "if-modified-since": lastModified }),
  };
}

function requireOkStatus({ status }: Download): void {
  if (status !== 200) throw new UnreadableListError(`The server of the feed answered ${status}.`);
}

async function collect(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > PAGE_BYTES_MAX) {
      throw new UnreadableListError(`A page is larger than ${PAGE_BYTES_MAX} bytes.`);
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

/** Reads all pages. A shop that ignores the number of the page answers with the same one again: it has one. */
async function readPages(
  { safeFetch, clock }: FeedTools,
  { url, currency }: FeedRequest,
  until: number,
  take: Take,
): Promise<Result<null, string>> {
  let count = 1;
  let before = "";
  for (let page = 1; page <= PAGES_MAX; page++) {
    const limits = { totalMs: until - clock.now(), bodyBytes: PAGE_BYTES_MAX };
    const read = await safeFetch.download(pageAddress(url, page), limits, async (answer) => {
      requireOkStatus(answer);
      return readPage(await collect(answer.body));
    });
    if (!read.ok) return read;
    const text = JSON.stringify(read.value[0]);
    if (read.value.length === 0 || text === before) return ok(null);
    before = text;
    for (const line of shopifyItems(read.value, count, { url, currency })) {
      count = line.line + 1;
      await take(line);
    }
  }
  throw new UnreadableListError(`The feed has more than ${PAGES_MAX} pages.`);
}

const ITEMS = { google_xml: googleXmlItems, google_table: googleTableItems, json_lines: jsonLines };

/**
 * Fetches a feed and passes on its items one by one. Returns null if it has not changed since the version that the
 * request names. The message of a refusal is a sentence for the owner.
 */
export async function readFeed(
  tools: FeedTools,
  request: FeedRequest,
  take: Take,
): Promise<Result<ReadFeed | null, "failed">> {
  const { safeFetch, clock } = tools;
  const now = clock.now();
  const limits = { totalMs: FEED_MS_MAX, bodyBytes: FEED_BYTES_MAX, headers: validators(request) };
  try {
    const answered = await safeFetch.download(request.url, limits, async (answer) => {
      if (answer.status === 304) return null;
      requireOkStatus(answer);
      const { head, whole } = await withHead(answer.body);
      const format = formatOf(head);
      const [etag, lastModified] = [answer.etag, answer.lastModified].map(storable);
      // Pages have no common version.
      if (format === "shopify") return { format, etag: "", lastModified: "" };
      const context = { currency: request.currency };
      for await (const line of ITEMS[format](whole, context)) await take(line);
      return { format, etag, lastModified } as ReadFeed;
    });
    if (!answered.ok) return failed(answered.detail);
    if (answered.value?.format !== "shopify") return answered;
    const pages = await readPages(tools, request, now + FEED_MS_MAX, take);
    return pages.ok ? answered : failed(pages.detail);
  } catch (error) {
    if (error instanceof UnreadableListError) return refuse("failed", error.message);
    throw error;
  }
}

const failed = (detail: string) => refuse("failed", `The feed could not be fetched: ${detail}.`);
