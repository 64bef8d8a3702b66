import type { Config } from "../../config/config.js";
import { type Networks, networksAt } from "../../infra/networks.js";
import { AddressLimiter } from "../../infra/rate-limit/address-limiter.js";
import { LocalLimiter } from "../../infra/rate-limit/local.js";

/** Calls of one session that may arrive at once. */
const SESSION_BURST = 20;

/**
 * The limit that refused a call. `site` is the total of all callers, `day` the bytes of records that
 * they may add to the site's log in a UTC day.
 */
type LimitScope = "session" | "address" | "site" | "day";

export interface SessionCaller {
  readonly siteKeyHash: string;
  readonly networks: Networks;
  /** Undefined for a client without a session, or with an invalid one. */
  readonly session: string | undefined;
}

export interface Limited {
  readonly scope: LimitScope;
  readonly waitMs: number;
}

/**
 * The limits of one caller's tool calls: its session, then its address. A client can open any number of
 * sessions, so opening more gains nothing. A refused call uses up neither limit. Admission keeps the
 * total that all callers of a site share.
 */
export class CallLimits {
  private readonly session: LocalLimiter;
  private readonly address: AddressLimiter;
  private readonly sessions: AddressLimiter;

  constructor({ limits }: Config) {
    const perSession = limits.MCP_CALLS_PER_SESSION_PER_MINUTE;
    const burst = Math.min(SESSION_BURST, perSession);
    this.session = new LocalLimiter({ perMinute: perSession, burst });
    this.address = new AddressLimiter({ perMinute: limits.MCP_CALLS_PER_ADDRESS_PER_MINUTE });
    this.sessions = new AddressLimiter({ perMinute: limits.MCP_SESSIONS_PER_ADDRESS_PER_MINUTE });
  }

  /** Sessions and networks in memory. */
  get size(): number {
    return this.session.size + this.address.size + this.sessions.size;
  }

  /** Admits one call, or says which limit it met. */
  takeCall(caller: SessionCaller, now: number): Limited | undefined {
    const { siteKeyHash, networks, session } = caller;
    const inSession = session === undefined ? 0 : this.session.wait(session, now);
    if (inSession > 0) return { scope: "session", waitMs: inSession };
    const waitMs = this.address.take(networksAt(siteKeyHash, networks), now);
    if (waitMs > 0) return { scope: "address", waitMs };
    if (session !== undefined) this.session.take(session, now);
    return undefined;
  }

  /** Whether an address may have one more session. Without a session its address limits it. */
  takeSession(networks: Networks, now: number): boolean {
    return this.sessions.take(networks, now) === 0;
  }
}
