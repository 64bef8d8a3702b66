import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { LimitName } from "../../../config/variables.js";
import type { Clock } from "../../clock.js";
import type { Metrics } from "../../metrics.js";
import { connectionOf, type TrustedProxies } from "../connection.js";
import { AddressLimiter } from "./address-limiter.js";
import { Caller, type CallerClass, type RefusedBy, setCaller } from "./caller.js";
import { FairQueue } from "./fair-queue.js";
import { FairRate, FairRates } from "./fair-rate.js";
import { HeldBytes } from "./held-bytes.js";

/** What a proof that does not hold costs its address: as much as so many requests. */
const FAILED_PROOF_PLACES = 5;

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

/** Callers that share a total: those the owner admitted share theirs with nobody else. */
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

/** Turns a caller away that must wait, in the shape of the route it asked for. */
export type AnswerWait = (
  request: IncomingMessage,
  response: ServerResponse,
  waitMs: number,
) => void;

/**
 * The one place that says who may pass, for every request of every route. Until a caller has proven
 * something it uses its own address's share; totals of a site and of the process are shared out
 * fairly by prefix; and each class of callers has totals of its own (decisions 11, "Admission").
 */
export class Admission {
  private readonly tools: AdmissionTools;
  private readonly requests: AddressLimiter;
  private readonly costly: AddressLimiter;
  private readonly unproven: FairRate;
  private readonly bodies: Readonly<Record<"anonymous" | "proven", HeldBytes>>;
  private readonly work: FairQueue;
  /** The mandates of each site, shared by the identities of the agents that sign them. */
  readonly mandates: FairRates;
  private readonly totals = new Map<string, FairRates>();
  private readonly counts = new Map<string, () => void>();

  constructor(tools: AdmissionTools) {
    const { limits, clock, metrics } = tools;
    this.tools = tools;
    this.requests = new AddressLimiter({ perMinute: limits.REQUESTS_PER_ADDRESS_PER_MINUTE });
    this.costly = new AddressLimiter({ perMinute: limits.SOURCE_REQUESTS_PER_MINUTE });
    this.mandates = new FairRates(limits.MANDATES_PER_SITE_PER_MINUTE);
    this.unproven = new FairRate(limits.UNPROVEN_REQUESTS_PER_MINUTE);
    const held = { perAddress: limits.BODY_BYTES_PER_ADDRESS, total: limits.BODY_BYTES };
    this.bodies = { anonymous: new HeldBytes(held), proven: new HeldBytes(held) };
    this.work = new FairQueue(limits.ANONYMOUS_WORK, clock);
    for (const [total, limit] of Object.entries(SITE_TOTALS)) {
      for (const group of GROUPS)
        this.totals.set(`${total} ${group}`, new FairRates(limits[limit]));
    }
    const { anonymous, proven } = this.bodies;
    metrics.gauge("gatehouse_body_bytes_held", () => anonymous.bytes + proven.bytes);
    metrics.gauge("gatehouse_anonymous_work_waiting", () => this.work.waiting);
    metrics.gauge("gatehouse_addresses_remembered", () => this.requests.size + this.costly.size);
  }

  /** In front of everything: every request gets its caller, and the rate of its address is kept. */
  listener(next: RequestListener, answerWait: AnswerWait): RequestListener {
    const { clock, proxies } = this.tools;
    return (request, response) => {
      const connection = connectionOf(request, proxies);
      // The other end is gone already: nobody is there to be answered, or counted.
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
   * Lets a request pass that costs something before anything can be proven by it, or says how many
   * milliseconds to wait.
   */
  takeCostly(caller: Caller): number {
    const now = this.tools.clock.now();
    const own = this.costly.take(caller.networks, now);
    if (own > 0) return this.refuse(caller, "address_rate", own);
    const all = this.unproven.take(caller.prefix, now);
    return all > 0 ? this.refuse(caller, "process_rate", all) : 0;
  }

  /** The same for a large body, which costs as much to read as so many small ones. */
  takeBytes(caller: Caller, places: number): number {
    const waitMs = this.costly.take(caller.networks, this.tools.clock.now(), places);
    return waitMs > 0 ? this.refuse(caller, "address_rate", waitMs) : 0;
  }

  /** A signature, mandate or token did not hold: its address pays for the trouble. */
  failProof(caller: Caller): void {
    this.costly.charge(caller.networks, this.tools.clock.now(), FAILED_PROOF_PLACES);
  }

  /**
   * Lets a caller take one of what all callers of its class share at a site, or says how long to
   * wait. Callers who have proven who they are share it by identity, everybody else by prefix.
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
   * What counts the bytes of a caller's body while they are in memory, which is until it is answered.
   * Called with each piece, it says whether there is room for it.
   */
  bodyOf(caller: Caller): (bytes: number) => boolean {
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

  /** Does an anonymous caller's work in its turn; undefined where its turn does not come. */
  async runInTurn<T>(
    caller: Caller,
    work: () => Promise<T>,
  ): Promise<{ readonly done: T } | undefined> {
    if (caller.provenAs !== "anonymous") return { done: await work() };
    const result = await this.work.run(caller.prefix, work);
    if (result === undefined) this.refuse(caller, "queue", 0);
    return result;
  }

  /** Notes which limit turned a caller away. */
  refuse(caller: Caller, by: RefusedBy, waitMs: number): number {
    caller.refusedBy = by;
    return waitMs;
  }

  /** Counts an answered request: by what its caller had proven, and by the limit it met, if any. */
  count({ provenAs, refusedBy }: Caller, door: string): void {
    const limit = refusedBy ?? "none";
    const key = `${provenAs} ${door} ${limit}`;
    let count = this.counts.get(key);
    if (count === undefined) {
      const labels = { class: provenAs, door, limit };
      count = this.tools.metrics.series("gatehouse_admission_total", labels);
      this.counts.set(key, count);
    }
    count();
  }
}
