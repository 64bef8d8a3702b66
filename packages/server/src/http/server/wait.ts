import type { ServerResponse } from "node:http";
import type { Context } from "../../context.js";
import { floodedReply } from "../mcp/replies.js";
import { tooManyRequests } from "../ucp/fault.js";
import type { AnswerWait } from "./admission/admission.js";
import { callerOf } from "./admission/caller.js";
import { UNREAD_REST } from "./body.js";
import { corsHeaders } from "./cors.js";
import { refusedAnswer } from "./mandate-answer.js";
import { Problem } from "./problem.js";

/** The body of a refusal in the shape of the route it is for. */
function bodyFor(path: string, waitMs: number, requestId: string, baseUrl: string): string {
  if (path.startsWith("/v1/mcp/")) return floodedReply(waitMs).body ?? "";
  if (path.startsWith("/v1/ucp/")) {
    const { code, message: content } = tooManyRequests(waitMs);
    return JSON.stringify({ code, content });
  }
  if (path.startsWith("/v1/m/")) {
    return JSON.stringify(refusedAnswer(baseUrl, "rate_limited", {}).body);
  }
  return JSON.stringify(new Problem("rate_limited").body(requestId, baseUrl));
}

function send(response: ServerResponse, body: string, headers: Readonly<Record<string, string>>) {
  response.writeHead(429, {
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
    ...UNREAD_REST,
  });
  response.end(body);
}

/** Refuses a request of an address that sends too many, before the request is parsed. */
export function answerWait({ admission, config, ids, metrics }: Context): AnswerWait {
  const count = metrics.counter("gatehouse_http_requests_total");
  return (request, response, waitMs) => {
    const path = request.url ?? "";
    const requestId = ids.id("req");
    const cors = path.startsWith("/v1/m/") ? "echo" : "open";
    const shared = path.startsWith("/v1/admin") ? [] : corsHeaders(cors, request.headers.origin);
    send(response, bodyFor(path, waitMs, requestId, config.baseUrl), {
      "x-request-id": requestId,
      "retry-after": String(Math.ceil(waitMs / 1000)),
      ...Object.fromEntries(shared),
    });
    const { method = "" } = request;
    count({ door: "none", method: /^[A-Z]{3,7}$/.test(method) ? method : "other", status: "429" });
    admission.count(callerOf(request), "none");
  };
}
