import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { LimitName } from "../../../config/variables.js";
import type { Clock } from "../../../infra/clock.js";
import type { Metrics } from "../../../infra/metrics.js";
import { type CallerClass, networksAt, type Sender } from "../../../infra/networks.js";
import { AddressLimiter } from "../../../infra/rate-limit/address-limiter.js";
import type { TrustedProxies } from "../trusted-proxies.js";
import { BodyMemory } from "./body-memory.js";
import { Caller, type RefusedBy, setCaller } from "./caller.js";
import { FairQueue } from "./fair-queue.js";
import { FairRate, FairRates } from "./fair-rate.js";

/** An invalid proof counts as this many requests of its address. */
const FAILED_PROOF_REQUESTS = 5;

export interface AdmissionTools {
  readonly limits: Readonly<Record<LimitName, number>>;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly proxies: TrustedProxies;
}

/** Totals of one site that callers share. */
export type SiteTotal = "mcp_calls" | "shop_changes" | "shop_reads" | "beacons";

const SITE_TOTALS: Readonly<Record<SiteTotal, LimitName>> = {
  mcp_calls: "MCP_CALLS_PER_SITE_PER_MINUTE",
  shop_changes: "SHOP_CHANGES_PER_SITE_PER_MINUTE",
  shop_reads: "SHOP_READS_PER_SITE_PER_MINUTE",
  beacons: "BEACONS_PER_SITE_PER_MINUTE",
};

/** Groups of callers with separate totals; callers that the owner admitted have totals of their own. */
const GROUPS = [
  "anonymous",
  "proven",
  "proven admitted",
  "spending",
  "spending admitted",
] as const satisfies readonly (CallerClass | `${CallerClass} admitted`)[];

/** Who a caller has proven to be. */
interface Proven {
  readonly id: string;
  /** Whether the owner of the site admitted it. */
  readonly admitted: boolean;
}

/** Refuses a caller who must wait, with the error format of the requested route. */
export type AnswerWait = (
  request: IncomingMessage,
  response: ServerResponse,
  waitMs: number,
) => void;

/**
 * Decides for every request of every route whether it is admitted (docs/decisions/0027-admission.md).
 * Until a caller has proven something, its requests count for its own address. Totals of a site and of
 * the process are shared out fairly by network. Each class of callers has separate totals.
 */
export class Admission {
  private readonly tools: AdmissionTools;
  private readonly requests: AddressLimiter;
  private readonly costly: AddressLimiter;
  /** Wrong API keys, access tokens and client secrets of one site, by address. */
  private readonly credentials: AddressLimiter;
  private readonly unproven: FairRate;
  private readonly bodies: Readonly<Record<"anonymous" | "proven", BodyMemory>>;
  private readonly work: FairQueue;
  /** The mandates of each site, shared by the identities of the agents that sign them. */
  readonly mandates: FairRates;
  private readonly totals = new Map<string, FairRates>();

  constructor(tools: AdmissionTools) {
    const { limits, clock, metrics } = tools;
    this.tools = tools;
    this.requests = new AddressLimiter({ perMinute: limits.REQUESTS_PER_ADDRESS_PER_MINUTE });
    this.costly = new AddressLimiter({ perMinute: limits.SOURCE_REQUESTS_PER_MINUTE });
    const perMinute = Math.max(1, limits.SOURCE_REQUESTS_PER_MINUTE / FAILED_PROOF_REQUESTS);
    this.credentials = new AddressLimiter({ perMinute });
    this.mandates = new FairRates(limits.MANDATES_PER_SITE_PER_MINUTE);
    this.unproven = new FairRate(limits.UNPROVEN_REQUESTS_PER_MINUTE);
    const held = { perAddress: limits.BODY_BYTES_PER_ADDRESS, total: limits.BODY_BYTES };
    this.bodies = { anonymous: new BodyMemory(held), proven: new BodyMemory(held) };
    this.work = new FairQueue(limits.ANONYMOUS_WORK, clock);
    for (const [total, limit] of Object.entries(SITE_TOTALS)) {
      for (const group of GROUPS)
        this.totals.set(`${total} ${group}`, new FairRates(limits[limit]));
    }
    const { anonymous, proven } = this.bodies;
    metrics.gauge("gatehouse_body_bytes_held", () => anonymous.bytes + proven.bytes);
    metrics.gauge("gatehouse_anonymous_work_waiting", () => this.work.waiting);
    const limiters = [this.requests, this.costly, this.credentials];
    metrics.gauge("gatehouse_addresses_remembered", () =>
      limiters.reduce((sum, { size }) => sum + size, 0),
    );
  }

  /** Runs before everything else: gives each request its caller, and limits the rate of its address. */
  listener(next: RequestListener, answerWait: AnswerWait): RequestListener {
    const { clock, proxies } = this.tools;
    return (request, response) => {
      const connection = proxies.clientOf(request);
      // The client has disconnected: there is nobody to answer or count.
      if (connection.address === "") return void request.destroy();
      const caller = new Caller(connection, response);
      setCaller(request, caller);
      const waitMs = this.requests.take(caller.networks, clock.now());
      if (waitMs === 0) return next(request, response);
      caller.refusedBy = "address_rate";
      answerWait(request, response, waitMs);
    };
  }

  /**
   * Admits a request that costs work before its sender can prove anything, or says how many
   * milliseconds to wait.
   */
  takeCostly(caller: Caller): number {
    const now = this.tools.clock.now();
    const own = this.costly.take(caller.networks, now);
    if (own > 0) return this.refuse(caller, "address_rate", own);
    const all = this.unproven.take(caller.prefix, now);
    return all > 0 ? this.refuse(caller, "process_rate", all) : 0;
  }

  /** The same for a large body, which counts as several requests. */
  takeBytes(caller: Caller, requests: number): number {
    const waitMs = this.costly.take(caller.networks, this.tools.clock.now(), requests);
    return waitMs > 0 ? this.refuse(caller, "address_rate", waitMs) : 0;
  }

  /** Charges an address for an invalid signature, mandate or token. */
  failProof(caller: Sender): void {
    this.costly.charge(caller.networks, this.tools.clock.now(), FAILED_PROOF_REQUESTS);
  }

  /**
   * How long an address waits after wrong credentials of a site, in milliseconds; 0 if it does not. A shop gives
   * platforms their credentials, so a wrong one must not make the platform's address wait at other shops.
   */
  waitForCredential(caller: Caller, siteKeyHash: string): number {
    const networks = networksAt(siteKeyHash, caller.networks);
    const waitMs = this.credentials.wait(networks, this.tools.clock.now());
    return waitMs > 0 ? this.refuse(caller, "address_rate", waitMs) : 0;
  }

  /** Charges an address for a wrong credential of a site. */
  failCredential({ networks }: Sender, siteKeyHash: string): void {
    this.credentials.charge(networksAt(siteKeyHash, networks), this.tools.clock.now(), 1);
  }

  /**
   * Counts a request for the total that all callers of its class share at a site, or says how long to
   * wait. Callers who have proven who they are share it by identity, all others by network.
   */
  takeOfSite(caller: Caller, total: SiteTotal, siteKeyHash: string, proven?: Proven): number {
    const { provenAs } = caller;
    const known = provenAs === "anonymous" ? undefined : proven;
    const group = known?.admitted ? `${provenAs} admitted` : provenAs;
    const rates = this.totals.get(`${total} ${group}`) as FairRates;
    const key = known?.id ?? caller.prefix;
    const waitMs = rates.take(siteKeyHash, key, this.tools.clock.now());
    return waitMs > 0 ? this.refuse(caller, "site_rate", waitMs) : 0;
  }

  /**
   * Counts the bytes of a caller's body while they are in memory, that is, until it is answered. The
   * returned function is called with each piece and says whether there is room for it.
   */
  reserveBody(caller: Caller): (bytes: number) => boolean {
    const { networks, provenAs, response } = caller;
    const pool = this.bodies[provenAs === "anonymous" ? "anonymous" : "proven"];
    let held = 0;
    let closed = response.closed;
    response.once("close", () => {
      closed = true;
      if (held > 0) pool.release(networks, held);
    });
    return (bytes) => {
      if (closed || pool.hold(networks, bytes) !== undefined) {
        this.refuse(caller, "body_bytes", 0);
        return false;
      }
      held += bytes;
      return true;
    };
  }

  /** Runs the work of an anonymous caller when its turn comes; undefined if that does not come in time. */
  async runInTurn<T>(
    caller: Caller,
    work: () => Promise<T>,
  ): Promise<{ readonly done: T } | undefined> {
    if (caller.provenAs !== "anonymous") return { done: await work() };
    const result = await this.work.run(caller.prefix, work);
    if (result === undefined) this.refuse(caller, "queue", 0);
    return result;
  }

  /** Notes which limit refused a caller. */
  refuse(caller: Caller, by: RefusedBy, waitMs: number): number {
    caller.refusedBy = by;
    return waitMs;
  }
}
