import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { prefersMarkdown } from "@gatehouse/protocol";
import type { Context } from "../../context.js";
import { callerOf } from "../server/admission/caller.js";
import { isFresh } from "../server/etag.js";
import { OPEN_HEADERS } from "../server/open-headers.js";
import type { Document } from "./document.js";
import type { Editions } from "./editions.js";
import { documentAt } from "./kinds.js";

/** A Host without which, or with any other, the router answers 400. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::(?:\d{1,4}|[1-5]\d{4}))?$/i;

/**
 * Header lists are made once per document: most of what this path costs would be making them. The
 * last place is the request id's, filled in just before Node copies the list into the answer.
 */
const lists = new WeakMap<Document, { readonly whole: string[]; readonly unchanged: string[] }>();

function headerLists(document: Document) {
  let found = lists.get(document);
  if (found === undefined) {
    const { "content-type": type = "", ...rest } = document.headers;
    const unchanged = [...Object.entries(rest).flat(), ...OPEN_HEADERS, "x-request-id", ""];
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
): 200 | 304 {
  const { whole, unchanged } = headerLists(document);
  const match = request.headers["if-none-match"];
  if (match !== undefined && isFresh(match, document.etag)) {
    unchanged[unchanged.length - 1] = requestId;
    response.writeHead(304, unchanged).end();
    return 304;
  }
  whole[whole.length - 1] = requestId;
  response.writeHead(200, whole);
  if (request.method === "HEAD") response.end();
  else response.end(document.bytes);
  return 200;
}

/**
 * Answers documents straight from node:http, and hands everything else on: what is refused, asked
 * for in another form, or cannot be made. These answers are counted like all others, and logged
 * at `debug` only.
 */
export function documentAnswers(
  editions: Editions,
  { admission, ids, log, metrics }: Context,
  next: RequestListener,
): RequestListener {
  const name = "gatehouse_http_requests_total";
  const count = (method: string, status: string) =>
    metrics.series(name, { door: "discovery", method, status });
  const counts = {
    GET: { 200: count("GET", "200"), 304: count("GET", "304") },
    HEAD: { 200: count("HEAD", "200"), 304: count("HEAD", "304") },
  };
  const send = (request: IncomingMessage, response: ServerResponse, document: Document) => {
    const requestId = ids.id("req");
    const status = answer(request, response, document, requestId);
    counts[request.method as "GET" | "HEAD"][status]();
    admission.count(callerOf(request), "discovery");
    const { method, url: path } = request;
    log.debug({ request_id: requestId, door: "discovery", method, path, status }, "document.sent");
  };
  return (request, response) => {
    const { method, url = "" } = request;
    const plain = (method === "GET" || method === "HEAD") && HOST.test(request.headers.host ?? "");
    if (!plain) return next(request, response);
    const document = editions.ready(url);
    if (document !== undefined && !otherForm(request, document)) {
      return send(request, response, document);
    }
    const named = document === undefined ? documentAt(url) : undefined;
    if (named === undefined) return next(request, response);
    editions.made(named).then(
      (made) => {
        if (made === undefined || otherForm(request, made)) next(request, response);
        else send(request, response, made);
      },
      () => next(request, response),
    );
  };
}

/** Whether this client asks for the Markdown form. */
function otherForm(request: IncomingMessage, { negotiated, headers }: Document): boolean {
  return negotiated && prefersMarkdown(request.headers.accept, headers["content-type"] ?? "");
}
