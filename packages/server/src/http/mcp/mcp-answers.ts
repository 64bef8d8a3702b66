import type { IncomingMessage, RequestListener } from "node:http";
import { deletedSite } from "../../actions/audit/replay-deleted.js";
import { SiteGoneError } from "../../actions/mcp/call-tool.js";
import { type Tool, toolsOf } from "../../actions/mcp/tools.js";
import type { Context } from "../../context.js";
import type { LiveSite } from "../../domain/sites/live-sites.js";
import { snapshotOf } from "../../domain/sites/snapshot.js";
import { collectBody } from "../server/body.js";
import { type Arrival, FrontAnswers, type Reply } from "../server/front-answers.js";
import { isJsonType, isPlainEncoding } from "../server/json-type.js";
import { signedRequest } from "../server/signed-request.js";
import { CallLimits } from "./call-limits.js";
import { hostGuard } from "./host-guard.js";
import { readMessage } from "./message.js";
import { type Asked, answerMethod, type MethodTools, refuseUnservable } from "./methods.js";
import { type ClosedSite, replayedCall } from "./replayed-call.js";
import {
  failedReply,
  floodedReply,
  pendingSiteReply,
  refusalReply,
  unknownSiteReply,
} from "./replies.js";
import { revisionOf } from "./revision.js";
import { ACCEPTED, type RpcId } from "./rpc.js";
import { Sessions } from "./sessions.js";
import type { ShopTools } from "./shop-tool.js";
import { type SiteServer, siteServer } from "./site-server.js";

const BODY_BYTES_MAX = 256 * 1024;
/** A large body takes the place of several small ones: reading it costs as much. */
const BODY_BYTES_PER_PLACE = 8 * 1024;
const PATH = /^\/v1\/mcp\/([A-Za-z0-9_-]+)(?:\?|$)/;

/** A request for one site's server. */
interface Incoming extends Arrival {
  readonly siteName: string;
}

/**
 * Every site's MCP server, answered straight from node:http: most requests are a handshake or a
 * list that was made before, and are answered without a promise in between. Other methods and other
 * paths are handed on.
 */
export class McpAnswers {
  private readonly context: Context;
  private readonly tools: MethodTools;
  private readonly isAllowed: (request: IncomingMessage) => boolean;
  private readonly servers = new WeakMap<LiveSite, SiteServer>();
  private readonly answers: FrontAnswers;

  constructor(context: Context, shop: ShopTools) {
    const { config, ids, metrics, secrets, liveSites } = context;
    this.context = context;
    const limits = new CallLimits(config);
    metrics.gauge("gatehouse_mcp_limits_remembered", () => limits.size);
    metrics.gauge("gatehouse_live_site_bytes", () => liveSites.bytes);
    this.tools = { context, shop, limits, sessions: new Sessions(secrets, ids) };
    this.isAllowed = hostGuard(config);
    this.answers = new FrontAnswers({ name: "mcp", cors: "open", logged: "debug" }, context);
  }

  listener(next: RequestListener): RequestListener {
    return (request, response) => {
      const siteName = request.method === "POST" ? PATH.exec(request.url ?? "")?.[1] : undefined;
      if (siteName === undefined) return next(request, response);
      const arrival = this.answers.arrival(request, response);
      // Named one by one: an object that begins with a spread costs twenty times as much.
      const { requestId, since, caller } = arrival;
      const incoming = { request, response, siteName, requestId, since, caller };
      const refusal = this.refusal(incoming);
      if (refusal !== undefined) this.answers.send(incoming, refusal);
      else this.findSite(incoming);
    };
  }

  /** What can be refused by its head alone. */
  private refusal({ request, caller }: Incoming): Reply | undefined {
    if (!this.isAllowed(request)) return refusalReply("host_not_allowed");
    const waitMs = this.context.admission.takeCostly(caller);
    if (waitMs > 0) return floodedReply(waitMs);
    const { "content-type": type = "", "content-encoding": encoding } = request.headers;
    const plain = isPlainEncoding(encoding);
    return plain && isJsonType(type) ? undefined : refusalReply("unsupported_media_type");
  }

  private findSite(incoming: Incoming): void {
    const { liveSites } = this.context;
    const { siteName, requestId } = incoming;
    const ready = liveSites.ready(siteName);
    if (ready !== undefined) {
      this.readBody(incoming, ready);
      return;
    }
    liveSites.find(siteName).then(
      (found) => {
        if (found !== undefined) this.readBody(incoming, found);
        else this.readForDeleted(incoming);
      },
      (error: unknown) => this.answers.send(incoming, this.failed(error, requestId)),
    );
  }

  /** The body of a call to a site that never existed is not read. */
  private readForDeleted(incoming: Incoming): void {
    deletedSite(this.context, incoming.siteName, "either").then(
      (deleted) => {
        const none = this.noServer(incoming, undefined);
        if (deleted === undefined) this.answers.send(incoming, none);
        else this.readForReplay(incoming, { deleted }, none);
      },
      (error: unknown) => this.answers.send(incoming, this.failed(error, incoming.requestId)),
    );
  }

  /** Answers only a mandate that was decided before; every other call is refused. */
  private readForReplay(incoming: Incoming, site: ClosedSite, otherwise: Reply): void {
    const { request, requestId, caller } = incoming;
    collectBody(this.context, request, BODY_BYTES_MAX, (body) => {
      if (!body.ok) return this.answers.send(incoming, otherwise);
      const call = { body: body.value, headers: request.headers, requestId, caller };
      replayedCall(this.context, site, call).then(
        (reply) => this.answers.send(incoming, reply ?? otherwise),
        (error: unknown) => this.answers.send(incoming, this.failed(error, requestId)),
      );
    });
  }

  private readBody(incoming: Incoming, live: LiveSite): void {
    const { request, requestId } = incoming;
    if (live.site.status !== "verified") {
      this.readForReplay(incoming, { pending: live.site }, this.noServer(incoming, live));
      return;
    }
    collectBody(this.context, request, BODY_BYTES_MAX, (body) => {
      if (!body.ok) return this.answers.send(incoming, refusalReply(body.reason, body.detail));
      try {
        this.answerBody(incoming, live, body.value);
      } catch (error) {
        this.answers.send(incoming, this.failed(error, requestId));
      }
    });
  }

  /** A body may have taken its time: the site is looked at again, and its size is counted. */
  private answerBody(incoming: Incoming, live: LiveSite, body: Uint8Array): void {
    const { admission, liveSites } = this.context;
    const { siteName, requestId, caller } = incoming;
    const places = Math.floor(body.length / BODY_BYTES_PER_PLACE);
    const waitMs = places === 0 ? 0 : admission.takeBytes(caller, places);
    if (waitMs > 0) this.answers.send(incoming, floodedReply(waitMs));
    else if (liveSites.ready(siteName) === live) this.answer(incoming, live, body);
    else {
      liveSites.find(siteName).then(
        (found) => this.answerAgain(incoming, found, body),
        (error: unknown) => this.answers.send(incoming, this.failed(error, requestId)),
      );
    }
  }

  private answerAgain(incoming: Incoming, live: LiveSite | undefined, body: Uint8Array): void {
    if (live?.site.status === "verified") this.answer(incoming, live, body);
    else this.answers.send(incoming, this.noServer(incoming, live));
  }

  private noServer({ requestId }: Incoming, live: LiveSite | undefined): Reply {
    const { baseUrl } = this.context.config;
    if (live === undefined) return unknownSiteReply(requestId, baseUrl);
    return pendingSiteReply(live.site.domain, baseUrl);
  }

  private answer(incoming: Incoming, live: LiveSite, body: Uint8Array): void {
    const reply = this.replyTo(incoming, live, body);
    if (reply instanceof Promise) reply.then((made) => this.answers.send(incoming, made));
    else this.answers.send(incoming, reply);
  }

  private replyTo(incoming: Incoming, live: LiveSite, body: Uint8Array): Reply | Promise<Reply> {
    const { request, requestId, caller } = incoming;
    const { headers } = request;
    const message = readMessage(body);
    if (message.kind === "refused") return message.reply;
    if (message.kind === "unanswered") return ACCEPTED;
    const sent = headers["mcp-session-id"];
    const session = typeof sent === "string" ? sent : undefined;
    const server = this.serverOf(live);
    const revision = revisionOf(message, headers);
    const { baseUrl } = this.context.config;
    const signed = () => signedRequest(request, { target: request.url ?? "", baseUrl, body });
    const reply =
      typeof revision === "string"
        ? answerMethod(
            { request: message, revision, server, requestId, caller, session, signed },
            this.tools,
          )
        : this.unservable(
            { request: message, server, requestId, caller, session, signed },
            revision,
          );
    if (!(reply instanceof Promise)) return reply;
    return reply.catch((error: unknown) => {
      if (error instanceof SiteGoneError)
        return unknownSiteReply(requestId, this.context.config.baseUrl);
      return this.failed(error, requestId, message.id);
    });
  }

  private unservable(asked: Omit<Asked, "revision">, reply: Reply): Reply | Promise<Reply> {
    if (asked.request.method !== "tools/call") return reply;
    return refuseUnservable(asked, this.tools, reply);
  }

  private serverOf(live: LiveSite): SiteServer {
    let server = this.servers.get(live);
    if (server === undefined) {
      const { fixtureTools } = this.context;
      const listed = [...toolsOf(live.snapshot), ...fixtureTools];
      server = siteServer(live, { listed, callable: this.callableOf(live, listed) });
      this.servers.set(live, server);
    }
    return server;
  }

  /** While sales are paused, tools that buy are not listed. A call to one says that sales are paused. */
  private callableOf({ site }: LiveSite, listed: readonly Tool[]): readonly Tool[] {
    if (site.pausedAt === null) return listed;
    const { config, fixtureTools } = this.context;
    const selling = snapshotOf({ ...site, pausedAt: null }, config.baseUrl);
    return [...toolsOf(selling), ...fixtureTools];
  }

  private failed(error: unknown, requestId: string, id?: RpcId): Reply {
    const { config, log } = this.context;
    log.error({ request_id: requestId, error }, "mcp.failed");
    return failedReply(error, { id, requestId, baseUrl: config.baseUrl });
  }
}
