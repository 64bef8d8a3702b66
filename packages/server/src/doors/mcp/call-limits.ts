import type { Config } from "../../config/config.js";
import { LocalLimiter } from "../../platform/rate-limit/local.js";

/** How many calls of one session may come at once. */
const SESSION_BURST = 20;

type LimitScope = "session" | "address" | "site";

export interface Caller {
  readonly siteKeyHash: string;
  /** As limits count addresses. */
  readonly address: string;
  /** Absent for a client without a session, or with one of nobody's making. */
  readonly session: string | undefined;
}

export interface Limited {
  readonly scope: LimitScope;
  readonly waitMs: number;
}

/**
 * Limits of tool calls, one behind the other: a session is a promise of a client to itself, so
 * minting more of them gains nothing; an address cannot take what a whole site may; and a call that
 * any of them refuses takes from none.
 */
export class CallLimits {
  private readonly session: LocalLimiter;
  private readonly address: LocalLimiter;
  private readonly site: LocalLimiter;
  private readonly sessions: LocalLimiter;

  constructor({ limits }: Config) {
    const perSession = limits.MCP_CALLS_PER_SESSION_PER_MINUTE;
    const burst = Math.min(SESSION_BURST, perSession);
    this.session = new LocalLimiter({ perMinute: perSession, burst });
    this.address = new LocalLimiter({ perMinute: limits.MCP_CALLS_PER_ADDRESS_PER_MINUTE });
    this.site = new LocalLimiter({ perMinute: limits.MCP_CALLS_PER_SITE_PER_MINUTE });
    this.sessions = new LocalLimiter({ perMinute: limits.MCP_SESSIONS_PER_ADDRESS_PER_MINUTE });
  }

  /** Sessions, addresses and sites that are remembered. */
  get size(): number {
    const all = [this.session, this.address, this.site, this.sessions];
    return all.reduce((sum, limiter) => sum + limiter.size, 0);
  }

  /** Lets one call pass, or says which limit it met. */
  takeCall({ siteKeyHash, address, session }: Caller, now: number): Limited | undefined {
    const counted: [LimitScope, LocalLimiter, string][] = [
      ["address", this.address, `${siteKeyHash} ${address}`],
      ["site", this.site, siteKeyHash],
    ];
    if (session !== undefined) counted.unshift(["session", this.session, session]);
    for (const [scope, limiter, key] of counted) {
      const waitMs = limiter.wait(key, now);
      if (waitMs > 0) return { scope, waitMs };
    }
    for (const [, limiter, key] of counted) limiter.take(key, now);
    return undefined;
  }

  /** Whether an address may have one more session. Without one it is limited by its address. */
  takeSession(address: string, now: number): boolean {
    return this.sessions.take(address, now) === 0;
  }
}
