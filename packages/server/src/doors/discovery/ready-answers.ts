import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Context } from "../../context.js";
import { prefersMarkdown } from "../../platform/http/accept.js";
import { corsHeaders } from "../../platform/http/cors.js";
import { isFresh } from "../../platform/http/etag.js";
import type { Document } from "./document.js";
import type { Editions } from "./editions.js";

/** The headers of every answer, as the kernel would add them. */
const COMMON = ["x-content-type-options", "nosniff", ...corsHeaders("open", undefined).flat()];

/** Header lists are made once per document: most of what this path costs would be making them. */
const lists = new WeakMap<Document, { readonly whole: string[]; readonly unchanged: string[] }>();

function headerLists(document: Document) {
  let found = lists.get(document);
  if (found === undefined) {
    const { "content-type": type = "", ...rest } = document.headers;
    const unchanged = [...Object.entries(rest).flat(), ...COMMON];
    const length = String(document.bytes.length);
    found = { whole: ["content-type", type, "content-length", length, ...unchanged], unchanged };
    lists.set(document, found);
  }
  return found;
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  document: Document,
  requestId: string,
): number {
  const { whole, unchanged } = headerLists(document);
  const match = request.headers["if-none-match"];
  if (match !== undefined && isFresh(match, document.etag)) {
    response.writeHead(304, [...unchanged, "x-request-id", requestId]).end();
    return 304;
  }
  response.writeHead(200, [...whole, "x-request-id", requestId]);
  if (request.method === "HEAD") response.end();
  else response.end(document.bytes);
  return 200;
}

/**
 * Answers documents that are ready straight from node:http, and hands everything else on. These
 * answers are counted like all others; they are logged at `debug` only.
 */
export function readyAnswers(
  editions: Editions,
  { ids, log, metrics }: Context,
  next: RequestListener,
): RequestListener {
  const count = metrics.counter("gatehouse_http_requests_total", "Requests answered.");
  return (request, response) => {
    const { method } = request;
    const document =
      method === "GET" || method === "HEAD" ? editions.ready(request.url ?? "") : undefined;
    if (
      document === undefined ||
      (document.negotiated && prefersMarkdown(request.headers.accept))
    ) {
      return next(request, response);
    }
    const requestId = ids.id("req");
    const status = answer(request, response, document, requestId);
    count({ door: "discovery", method: method as string, status: `${status}` });
    log.debug({ request_id: requestId, path: request.url, status }, "http.answered");
  };
}
