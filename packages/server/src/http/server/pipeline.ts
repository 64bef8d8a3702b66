import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Config } from "../../config/config.js";
import type { Clock } from "../../infra/clock.js";
import type { Ids } from "../../infra/ids.js";
import type { Log } from "../../infra/log/log.js";
import type { Metrics } from "../../infra/metrics.js";
import type { Telemetry } from "../../infra/telemetry/telemetry.js";
import type { Admission, AnswerWait } from "./admission/admission.js";
import { callerOf } from "./admission/caller.js";
import { AnswerRecorder, AnswerSender, corsOf } from "./answering.js";
import { UNREAD_REST } from "./body.js";
import { preflightHeaders } from "./cors.js";
import { httpsOnly } from "./early-answers.js";
import { answerError } from "./errors.js";
import { type Answer, Exchange, type RouteGroup, SENT } from "./exchange.js";
import { mountHono } from "./hono.js";
import type { HonoGroup } from "./hono-group.js";
import { isHost } from "./host-header.js";
import { isPlainTarget, pathOf } from "./path.js";
import { type PathEntry, PathTable } from "./path-table.js";
import { Problem, waitProblem } from "./problem.js";

export interface PipelineTools {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly telemetry: Telemetry | undefined;
  readonly admission: Admission;
}

function answerOptions(exchange: Exchange, allow: string): Answer {
  return { status: 204, headers: preflightHeaders(corsOf(exchange), allow) };
}

/**
 * Every request takes the same steps: admission, route, handler, answer, and then the headers, metrics
 * and log line that all answers have. Errors that a handler throws are answered here.
 */
class Pipeline {
  private readonly tools: PipelineTools;
  private readonly table: PathTable;
  private readonly sender = new AnswerSender();
  private readonly recorder: AnswerRecorder;
  private knownHost: string | undefined = undefined;

  constructor(
    groups: readonly RouteGroup[],
    honoGroups: readonly HonoGroup[],
    tools: PipelineTools,
  ) {
    this.tools = tools;
    this.recorder = new AnswerRecorder(tools);
    this.table = new PathTable([...groups, ...mountHono(honoGroups, tools, this.recorder)]);
  }

  readonly listener: RequestListener = (request, response) => {
    const exchange = this.exchange(request, response);
    const { telemetry } = this.tools;
    if (telemetry === undefined) return this.serve(exchange);
    exchange.span = telemetry.request(request.method ?? "", request.headers);
    exchange.span.run(() => this.serve(exchange));
  };

  private serve(exchange: Exchange): void {
    let answer: Answer | Promise<Answer | typeof SENT>;
    try {
      answer = this.answer(exchange);
    } catch (error) {
      answer = answerError(this.tools, exchange, error);
    }
    // A cached document needs no promise, and a promise would be much of its cost.
    if (answer instanceof Promise) this.sendLater(exchange, answer);
    else this.send(exchange, answer);
  }

  private exchange(request: IncomingMessage, response: ServerResponse): Exchange {
    const { clock, ids } = this.tools;
    return new Exchange(request, response, callerOf(request), ids.id("req"), clock.now());
  }

  /** Finds the routes of a request's path, and notes them in its exchange. */
  private find(exchange: Exchange): PathEntry | undefined {
    const { method = "", url = "" } = exchange.request;
    let match = this.table.cachedMatch(url);
    if (match === undefined) {
      exchange.path = pathOf(url);
      if (isPlainTarget(url)) match = this.table.find(exchange.path, url);
      if (match === undefined) return undefined;
    }
    const { entry, params, path } = match;
    exchange.path = path;
    exchange.group = entry.group;
    exchange.params = params;
    exchange.route = entry.byMethod.get(method === "HEAD" ? "GET" : method);
    return entry;
  }

  private answer(exchange: Exchange): Answer | Promise<Answer | typeof SENT> {
    const { headers, method } = exchange.request;
    const entry = this.find(exchange);
    if (entry?.group.checksHost !== true) this.checkHost(headers.host);
    if (method === "OPTIONS") return answerOptions(exchange, entry?.allow ?? "OPTIONS");
    if (entry === undefined) throw new Problem("not_found");
    const { route } = exchange;
    if (route !== undefined) return route.handle(exchange);
    // A wrong method is wrong for every site and token, so it is refused before the route's own checks.
    throw new Problem("method_not_allowed", { headers: { allow: entry.allow } });
  }

  private checkHost(host: string | undefined): void {
    // Nearly all requests are for the same host.
    if (host === this.knownHost && host !== undefined) return;
    if (!isHost(host)) throw new Problem("invalid_request");
    this.knownHost = host;
  }

  /** Refuses a request of an address that sends too many, before its body is read. */
  readonly refuse: AnswerWait = (request, response, waitMs) => {
    const exchange = this.exchange(request, response);
    this.find(exchange);
    const error = waitProblem(waitMs, UNREAD_REST);
    const answer = answerError(this.tools, exchange, error);
    this.sender.send(exchange, answer);
    // A flood must not fill the log.
    this.recorder.record(exchange, answer.status, "all");
  };

  private sendLater(exchange: Exchange, answer: Promise<Answer | typeof SENT>): void {
    const send = (result: Answer | typeof SENT) => {
      if (result !== SENT) this.send(exchange, result);
    };
    answer
      .then(send, (error: unknown) => send(answerError(this.tools, exchange, error)))
      .catch((error: unknown) => {
        // The answer itself cannot be sent. A cut connection tells the client not to trust it.
        this.tools.log.error({ request_id: exchange.requestId, error }, "http.failed");
        exchange.response.destroy();
      });
  }

  private send(exchange: Exchange, answer: Answer): void {
    this.sender.send(exchange, answer);
    this.recorder.record(exchange, answer.status);
  }
}

/** Serves all routes: `groups` by handlers of the pipeline, `honoGroups` by Hono behind it. */
export function createPipeline(
  groups: readonly RouteGroup[],
  honoGroups: readonly HonoGroup[],
  tools: PipelineTools,
): RequestListener {
  const { listener, refuse } = new Pipeline(groups, honoGroups, tools);
  return tools.admission.listener(httpsOnly(tools, listener), refuse);
}
