import { cutAddress } from "../../infra/addresses.js";
import type { Clock } from "../../infra/clock.js";
import type { Log } from "../../infra/log/log.js";
import type { Metrics } from "../../infra/metrics.js";
import { type Cors, corsHeaders } from "./cors.js";
import type { Answer, Exchange } from "./exchange.js";

const ADMIN_PREFIX = "/v1/admin";
/** The group in metrics and log lines for a path that no route has. */
const NO_GROUP = "none";
/** Anybody who knows one of these addresses can use it, so a log must not contain one. */
const CAPABILITY = /(\/(?:pages|challenges|payments|checkouts|checkout-sessions|carts)\/)[^/]+/;
const METHOD = /^[A-Z]{3,7}$/;

const NOSNIFF: readonly string[] = ["x-content-type-options", "nosniff"];
const OPEN: readonly string[] = [...NOSNIFF, ...corsHeaders("open", undefined).flat()];

/** An unknown path belongs to no group; below the admin prefix it must look like the admin API. */
export function corsOf({ group, path }: Exchange): Cors {
  return group?.cors ?? (path.startsWith(ADMIN_PREFIX) ? "none" : "open");
}

/** Adds the headers of every answer to a list of names and values in turn. */
export function addCommonHeaders(list: string[], exchange: Exchange): string[] {
  const cors = corsOf(exchange);
  for (const text of cors === "open" ? OPEN : NOSNIFF) list.push(text);
  if (cors === "echo") list.push(...corsHeaders(cors, exchange.request.headers.origin).flat());
  list.push("x-request-id", exchange.requestId);
  return list;
}

function headerList(exchange: Exchange, { body, headers }: Answer): string[] {
  const list: string[] = [];
  let hasType = false;
  let hasLength = false;
  let hasCache = false;
  for (const name in headers) {
    list.push(name, headers[name] as string);
    if (name === "content-type") hasType = true;
    else if (name === "content-length") hasLength = true;
    else if (name === "cache-control") hasCache = true;
  }
  if (!hasCache) list.push("cache-control", "no-store");
  if (body !== undefined) {
    if (!hasType) list.push("content-type", "application/json");
    if (!hasLength) list.push("content-length", String(Buffer.byteLength(body)));
  }
  // The request's id comes last: `AnswerSender` replaces it.
  return addCommonHeaders(list, exchange);
}

/** Sends answers with the headers that all answers have. */
export class AnswerSender {
  /** Headers of answers that are sent many times. Making them would be most of the cost of an answer. */
  private readonly lists = new WeakMap<Answer, string[]>();

  send(exchange: Exchange, answer: Answer): void {
    const { request, response } = exchange;
    response.writeHead(answer.status, this.listFor(exchange, answer));
    // A text is sent in one write together with its headers.
    if (request.method === "HEAD") response.end();
    else response.end(answer.body);
  }

  private listFor(exchange: Exchange, answer: Answer): string[] {
    const isKept = answer.isReused === true && corsOf(exchange) !== "echo";
    if (!isKept) return headerList(exchange, answer);
    let list = this.lists.get(answer);
    if (list === undefined) {
      list = headerList(exchange, answer);
      this.lists.set(answer, list);
    }
    // Node copies the list when it writes the headers.
    list[list.length - 1] = exchange.requestId;
    return list;
  }
}

interface RecorderTools {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

type Label = string | number;

/** Counters by two labels. Node accepts few methods and the service uses few statuses, so there are few. */
class Counters {
  private readonly counters = new Map<Label, Map<Label, () => void>>();
  private readonly make: (one: Label, other: Label) => () => void;

  constructor(make: (one: Label, other: Label) => () => void) {
    this.make = make;
  }

  count(one: Label, other: Label): void {
    let byOther = this.counters.get(one);
    if (byOther === undefined) {
      byOther = new Map();
      this.counters.set(one, byOther);
    }
    let count = byOther.get(other);
    if (count === undefined) {
      count = this.make(one, other);
      byOther.set(other, count);
    }
    count();
  }
}

/** What is counted for one group of routes. */
interface GroupSeries {
  readonly observe: (seconds: number) => void;
  /** By method and status. */
  readonly answers: Counters;
  /** By what the caller had proven, and the limit that refused it. */
  readonly admissions: Counters;
}

/** Counts, times and logs every answer. */
export class AnswerRecorder {
  private readonly tools: RecorderTools;
  /** By group, because making labels for each answer would cost too much. */
  private readonly series = new Map<string, GroupSeries>();
  private readonly logsQuiet: boolean;
  private readonly logsAnswers: boolean;

  constructor(tools: RecorderTools) {
    this.tools = tools;
    this.logsQuiet = tools.log.isLevelEnabled("debug");
    this.logsAnswers = tools.log.isLevelEnabled("info");
  }

  record(exchange: Exchange, status: number, quiet = exchange.group?.quiet): void {
    const { caller, group, startedAt } = exchange;
    const name = group?.name ?? NO_GROUP;
    const ms = this.tools.clock.now() - startedAt;
    const series = this.seriesOf(name);
    series.answers.count(exchange.request.method ?? "", status);
    series.admissions.count(caller.provenAs, caller.refusedBy ?? "none");
    series.observe(ms / 1000);
    exchange.span?.end(exchange.route?.path ?? name, status, {
      "gatehouse.area": name,
      "gatehouse.request_id": exchange.requestId,
    });
    const isQuiet = quiet === "all" || (quiet === "successes" && status < 400);
    const isLogged = isQuiet ? this.logsQuiet : this.logsAnswers;
    if (isLogged) this.log(exchange, { group: name, status, ms }, isQuiet);
  }

  private seriesOf(group: string): GroupSeries {
    let series = this.series.get(group);
    if (series === undefined) {
      series = this.makeSeries(group);
      this.series.set(group, series);
    }
    return series;
  }

  private makeSeries(area: string): GroupSeries {
    const { metrics } = this.tools;
    return {
      observe: metrics.durationSeries("gatehouse_http_request_seconds", { area }),
      answers: new Counters((sent, code) => {
        const method = METHOD.test(String(sent)) ? String(sent) : "other";
        const labels = { area, method, status: String(code) };
        return metrics.series("gatehouse_http_requests_total", labels);
      }),
      admissions: new Counters((provenAs, limit) => {
        const labels = { class: String(provenAs), area, limit: String(limit) };
        return metrics.series("gatehouse_admission_total", labels);
      }),
    };
  }

  private log(
    { caller, path, request: { method }, requestId }: Exchange,
    { group, status, ms }: { group: string; status: number; ms: number },
    isQuiet: boolean,
  ): void {
    const shown = path.replace(CAPABILITY, "$1…");
    const line = { request_id: requestId, area: group, method, path: shown, status, ms };
    if (isQuiet) {
      this.tools.log.debug(line, "http.answered");
    } else {
      this.tools.log.info({ ...line, client: cutAddress(caller.address) }, "http.answered");
    }
  }
}
