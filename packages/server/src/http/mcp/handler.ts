import { FULL_OFFER, isJsonObject, REASONS } from "@gatehouse/protocol";
import { deletedSite, type MandateSite } from "../../actions/mandates/find-site.js";
import { SiteGoneError } from "../../actions/mcp/record-call.js";
import { type Tool, toolsOf } from "../../actions/mcp/tools.js";
import type { Context } from "../../context.js";
import { sells } from "../../domain/sites/gates.js";
import { type LiveSite, snapshotOf } from "../../domain/sites/live-sites.js";
import { readBytes, UNREAD_REST } from "../server/body.js";
import { pendingBody } from "../server/errors.js";
import { type Answer, type Exchange, json } from "../server/exchange.js";
import { hostGuard } from "../server/host-header.js";
import { requireJsonType } from "../server/json-body.js";
import { NO_SITE, Problem, requireNoWait } from "../server/problem.js";
import { answerCall, type McpTools, refuseUnservable } from "./call.js";
import { CallLimits } from "./call-limits.js";
import { readMessage } from "./message.js";
import { answerMethod } from "./methods.js";
import { replayedCall } from "./replayed-call.js";
import { revisionOf } from "./revision.js";
import { ACCEPTED } from "./rpc.js";
import { Sessions } from "./sessions.js";
import type { ShopTools } from "./shop-tool.js";
import { type SiteServer, siteServer } from "./site-server.js";

const CALL = "tools/call";
const BODY_BYTES_MAX = 256 * 1024;
/** A large body counts as several small ones, because reading it costs as much. */
const BODY_BYTES_PER_UNIT = 8 * 1024;

/** `POST /v1/mcp/{site_key}`: the MCP server of every site. */
export class McpHandler {
  private readonly context: Context;
  private readonly tools: McpTools;
  private readonly isAllowedHost: ReturnType<typeof hostGuard>;
  private readonly servers = new WeakMap<LiveSite, SiteServer>();

  constructor(context: Context, shop: ShopTools) {
    const { config, ids, metrics, secrets, liveSites } = context;
    this.context = context;
    const limits = new CallLimits(config);
    metrics.gauge("gatehouse_mcp_limits_remembered", () => limits.size);
    metrics.gauge("gatehouse_live_site_bytes", () => liveSites.siteBytes);
    this.tools = { context, shop, limits, sessions: new Sessions(secrets, ids) };
    this.isAllowedHost = hostGuard(config);
  }

  readonly handle = async (exchange: Exchange): Promise<Answer> => {
    const { admission, liveSites } = this.context;
    const { caller, request } = exchange;
    this.checkHead(exchange);
    const name = exchange.param("site");
    const site = liveSites.ready(name) ?? (await liveSites.find(name));
    if (site === undefined) return this.answerDeleted(exchange);
    if (site.site.status !== "verified") {
      return this.replay(exchange, { kind: "known", site: site.site });
    }
    const body = await readBytes(this.context, request, BODY_BYTES_MAX);
    const units = Math.floor(body.length / BODY_BYTES_PER_UNIT);
    if (units > 0) requireNoWait(admission.takeBytes(caller, units), UNREAD_REST);
    // The site may have changed while the body was read.
    const current = liveSites.ready(name) ?? (await liveSites.find(name));
    if (current === undefined) throw this.unknownSite();
    if (current.site.status !== "verified") return this.pendingAnswer(current.site.domain);
    return this.answer(exchange, current, body);
  };

  /** Refuses what can be refused before the body is read. */
  private checkHead({ caller, request }: Exchange): void {
    if (!this.isAllowedHost(request)) {
      throw new Problem("host_not_allowed", { headers: UNREAD_REST });
    }
    requireNoWait(this.context.admission.takeCostly(caller), UNREAD_REST);
    requireJsonType(request);
  }

  private unknownSite(): Problem {
    return new Problem("not_found", { message: NO_SITE, headers: UNREAD_REST });
  }

  private pendingAnswer(domain: string): Answer {
    const { status } = REASONS.pending_verification;
    return json(status, pendingBody(this.context.config.baseUrl, domain), UNREAD_REST);
  }

  /** The body of a call to a site that never existed is not read. */
  private async answerDeleted(exchange: Exchange): Promise<Answer> {
    const siteKeyHash = await deletedSite(this.context, exchange.param("site"), "either");
    if (siteKeyHash === undefined) throw this.unknownSite();
    return this.replay(exchange, { kind: "deleted", siteKeyHash });
  }

  /** Answers only a mandate that was decided before; every other call is refused. */
  private async replay(exchange: Exchange, site: MandateSite): Promise<Answer> {
    const { context } = this;
    const body = await readBytes(context, exchange.request, BODY_BYTES_MAX).catch(() => undefined);
    const answer = body && (await replayedCall(context, site, exchange, body));
    if (answer !== undefined) return answer;
    if (site.kind === "known") return this.pendingAnswer(site.site.domain);
    throw this.unknownSite();
  }

  private answer(exchange: Exchange, site: LiveSite, body: Uint8Array): Answer | Promise<Answer> {
    const message = readMessage(body);
    if (message.kind === "refused") return message.answer;
    if (message.kind === "unanswered") return ACCEPTED;
    exchange.rpcId = message.id;
    const server = this.serverOf(site);
    const result = revisionOf(message, exchange);
    const isCall = message.method === CALL;
    if (result.kind === "refused") {
      if (!isCall) return result.answer;
      const call = { exchange, body, message, server };
      return this.unlessGone(refuseUnservable(call, this.tools, result.answer));
    }
    const request = { exchange, body, message, server, revision: result.revision };
    if (!isCall) return answerMethod(request, this.tools);
    const answer = () => this.unlessGone(answerCall(request, this.tools));
    const { telemetry } = this.context;
    if (telemetry === undefined) return answer();
    // A client with its own trace names it in the call, because one connection carries many.
    const { _meta: meta } = message.params;
    const parent = isJsonObject(meta) ? meta : undefined;
    return telemetry.span(CALL, { "mcp.method.name": CALL }, answer, parent);
  }

  /** The answer to a call, unless the site was deleted before the call was recorded. */
  private async unlessGone(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      throw error instanceof SiteGoneError ? this.unknownSite() : error;
    }
  }

  private serverOf(site: LiveSite): SiteServer {
    let server = this.servers.get(site);
    if (server === undefined) {
      const { fixtureTools } = this.context;
      const listed = [...toolsOf(site.snapshot), ...fixtureTools];
      server = siteServer(site, { listed, callable: this.callableOf(site, listed) });
      this.servers.set(site, server);
    }
    return server;
  }

  /**
   * Tools that buy are listed only while a purchase can succeed. What has begun can still be completed, and a
   * call while sales are paused gets an answer that says so.
   */
  private callableOf({ site }: LiveSite, listed: readonly Tool[]): readonly Tool[] {
    if (!sells({ ...site, pausedAt: null })) return listed;
    const { config, fixtureTools } = this.context;
    return [...toolsOf(snapshotOf(site, config.baseUrl, FULL_OFFER)), ...fixtureTools];
  }
}
