import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { toolsOf } from "../../actions/tools.js";
import type { Context } from "../../context.js";
import type { LiveSite } from "../../owners/sites/live-sites.js";
import { connectionOf, limitKey } from "../../platform/http/connection.js";
import { OPEN_HEADERS } from "../../platform/http/open-headers.js";
import { collectBody } from "../../platform/http/raw-body.js";
import { CallLimits } from "./call-limits.js";
import { hostGuard } from "./host-guard.js";
import { readMessage } from "./message.js";
import { answerMethod, type MethodTools } from "./methods.js";
import {
  failedReply,
  floodedReply,
  pendingSiteReply,
  refusalReply,
  unknownSiteReply,
} from "./replies.js";
import { revisionOf } from "./revision.js";
import { ACCEPTED, type Reply, type RpcId } from "./rpc.js";
import { Sessions } from "./sessions.js";
import { type SiteServer, siteServer } from "./site-server.js";

const BODY_BYTES_MAX = 256 * 1024;
const PATH = /^\/v1\/mcp\/([A-Za-z0-9_-]+)(?:\?|$)/;
const JSON_TYPE = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i;

/** A request for one site's server. */
interface Incoming {
  readonly request: IncomingMessage;
  readonly siteName: string;
  readonly requestId: string;
  /** Where it came from. */
  readonly address: string;
}

/**
 * Every site's MCP server, answered straight from node:http: most requests are a handshake or a
 * list that was made before. Other methods and other paths are handed on.
 */
export class McpAnswers {
  private readonly context: Context;
  private readonly tools: MethodTools;
  private readonly isAllowed: (request: IncomingMessage) => boolean;
  private readonly servers = new WeakMap<LiveSite, SiteServer>();
  private readonly counts = new Map<number, () => void>();

  constructor(context: Context) {
    const { config, ids, metrics, secrets, liveSites } = context;
    this.context = context;
    const limits = new CallLimits(config);
    const remembered = "Sessions, addresses and sites whose calls are being counted.";
    metrics.gauge("gatehouse_mcp_limits_remembered", remembered, () => limits.size);
    const kept = "Sites kept in memory, with what is made of them.";
    metrics.gauge("gatehouse_live_site_bytes", kept, () => liveSites.bytes);
    this.tools = { context, limits, sessions: new Sessions(secrets, ids) };
    this.isAllowed = hostGuard(config);
  }

  listener(next: RequestListener): RequestListener {
    const { ids, proxies } = this.context;
    return (request, response) => {
      const siteName = request.method === "POST" ? PATH.exec(request.url ?? "")?.[1] : undefined;
      if (siteName === undefined) return next(request, response);
      const requestId = ids.id("req");
      const { address } = connectionOf(request, proxies);
      this.answer({ request, siteName, requestId, address })
        .catch((error: unknown) => this.failed(error, requestId))
        .then((reply) => this.send(request, response, reply, requestId));
    };
  }

  private async answer(incoming: Incoming): Promise<Reply> {
    const { config, clock, liveSites } = this.context;
    const { request, siteName, requestId } = incoming;
    const refusal = this.refusal(incoming);
    if (refusal !== undefined) return refusal;
    let live = liveSites.ready(siteName);
    if (live === undefined) {
      const found = await liveSites.find(siteName);
      if (found.ok) live = found.value;
      else if (found.reason === "not_found") return unknownSiteReply(requestId, config.baseUrl);
      else return pendingSiteReply(found.detail, config.baseUrl);
    }
    const body = await collectBody(request, BODY_BYTES_MAX, clock);
    if (!body.ok) return refusalReply(body.reason, body.detail);
    return this.answerMessage(incoming, live, body.value);
  }

  /** What can be refused by its head alone. */
  private refusal({ request, address }: Incoming): Reply | undefined {
    if (!this.isAllowed(request)) return refusalReply("host_not_allowed");
    const { clock, sources } = this.context;
    const waitMs = sources.take(limitKey(address), clock.now());
    if (waitMs > 0) return floodedReply(waitMs);
    const { "content-type": type = "", "content-encoding": encoding } = request.headers;
    const plain = encoding === undefined || encoding.toLowerCase() === "identity";
    return plain && JSON_TYPE.test(type) ? undefined : refusalReply("unsupported_media_type");
  }

  private answerMessage(
    { request: { headers }, requestId, address }: Incoming,
    live: LiveSite,
    body: Uint8Array,
  ): Reply | Promise<Reply> {
    const request = readMessage(body);
    if (request.kind === "refused") return request.reply;
    if (request.kind === "unanswered") return ACCEPTED;
    const revision = revisionOf(request, headers);
    if (typeof revision !== "string") return revision;
    const server = this.serverOf(live);
    const session = headers["mcp-session-id"];
    const asked = { request, revision, server, requestId, address };
    const held = typeof session === "string" ? session : undefined;
    const reply = answerMethod({ ...asked, session: held }, this.tools);
    if (!(reply instanceof Promise)) return reply;
    return reply.catch((error: unknown) => this.failed(error, requestId, request.id));
  }

  private serverOf(live: LiveSite): SiteServer {
    let server = this.servers.get(live);
    if (server === undefined) {
      const { fixtureTools } = this.context;
      server = siteServer(live, [...toolsOf(live.snapshot), ...fixtureTools]);
      this.servers.set(live, server);
    }
    return server;
  }

  private failed(error: unknown, requestId: string, id?: RpcId): Reply {
    const { config, log } = this.context;
    log.error({ request_id: requestId, error }, "mcp.failed");
    return failedReply(error, { id, requestId, baseUrl: config.baseUrl });
  }

  private send(
    request: IncomingMessage,
    response: ServerResponse,
    { status, body, headers = [] }: Reply,
    requestId: string,
  ): void {
    const common = ["cache-control", "no-store", ...OPEN_HEADERS, "x-request-id", requestId];
    if (body === undefined) response.writeHead(status, [...headers, ...common]).end();
    else {
      const bytes = Buffer.from(body);
      const length = String(bytes.length);
      const type = ["content-type", "application/json", "content-length", length];
      response.writeHead(status, [...type, ...headers, ...common]).end(bytes);
    }
    this.count(status);
    const { method, url: path } = request;
    const facts = { request_id: requestId, door: "mcp", method, path, status };
    this.context.log.debug(facts, "mcp.answered");
  }

  private count(status: number): void {
    let count = this.counts.get(status);
    if (count === undefined) {
      const labels = { door: "mcp", method: "POST", status: String(status) };
      const { metrics } = this.context;
      count = metrics.series("gatehouse_http_requests_total", "Requests answered.", labels);
      this.counts.set(status, count);
    }
    count();
  }
}
