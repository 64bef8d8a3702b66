import { createHash, timingSafeEqual } from "node:crypto";
import { ok, type Result, refuse } from "@gatehouse/protocol";
import type { Clock } from "../../infra/clock.js";
import type { Queries } from "../../infra/db/database.js";
import { type Networks, networksOf } from "../../infra/networks.js";
import { AddressLimiter } from "../../infra/rate-limit/address-limiter.js";
import { OPERATOR_ID, type Principal } from "./principal.js";
import { unrevokedTokenByDigest } from "./store.js";
import { isLiveToken, type Token } from "./token.js";

/** Tokens are 256 random bits, so one fast hash is enough: there is nothing to guess. */
export function tokenDigest(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** The holder of the token that the service was started with. */
export const OPERATOR: Principal = Object.freeze({
  id: OPERATOR_ID,
  kind: "token",
  role: "operator",
  sites: null,
});

/** What a token may do. */
export function principalOfToken({ tokenId, role, sites }: Token): Principal {
  return { id: tokenId, kind: "token", role, sites };
}

/** The principal that a token authenticates, by the digest of the token; undefined if it is unknown or has expired. */
export async function authenticate(
  db: Queries,
  digest: string,
  operatorDigest: string,
  now: number,
): Promise<Principal | undefined> {
  if (timingSafeEqual(Buffer.from(digest), Buffer.from(operatorDigest))) return OPERATOR;
  const token = await unrevokedTokenByDigest(db, digest);
  return token && isLiveToken(token, now) ? principalOfToken(token) : undefined;
}

const FAILURES_PER_MINUTE = 10;
/** Tokens that were valid recently. All are dropped when there are too many. */
const KNOWN_MAX = 1000;

/**
 * Authenticates bearer tokens of one kind. Wrong tokens are counted by address. A request without a token is
 * not counted, because any page in the operator's browser can send one. A token that was not used recently
 * is counted before it is looked up, and the count is refunded if it was valid, so that many tries at once
 * cannot exceed the limit.
 */
export class TokenAuthenticator<Holder> {
  private readonly failures = new AddressLimiter({ perMinute: FAILURES_PER_MINUTE });
  private readonly known = new Set<string>();
  /** How many requests are looking up a digest. */
  private readonly underWay = new Map<string, number>();
  private readonly clock: Clock;
  private readonly holderOf: (digest: string) => Promise<Holder | undefined>;

  constructor(clock: Clock, holderOf: (digest: string) => Promise<Holder | undefined>) {
    this.clock = clock;
    this.holderOf = holderOf;
  }

  /** The holder of the token in an Authorization header. The detail of `rate_limited` is the seconds to wait. */
  async admit(
    authorization: string | undefined,
    address: string,
  ): Promise<Result<Holder, "unauthorized" | "rate_limited">> {
    const bearer = /^Bearer ([\x21-\x7e]+)$/i.exec(authorization ?? "")?.[1];
    if (bearer === undefined) return refuse("unauthorized", "no bearer token");
    const source = networksOf(address);
    const digest = tokenDigest(bearer);
    // Several tries of one token at the same time count once.
    const first = !this.known.has(digest) && !this.underWay.has(digest);
    // A token that was valid recently does not wait for wrong tokens from the same address.
    const waitMs = first ? this.failures.take(source, this.clock.now()) : 0;
    if (waitMs > 0) return refuse("rate_limited", String(Math.ceil(waitMs / 1000)));
    const holder = await this.lookUp(digest, first ? source : undefined);
    if (holder !== undefined) return ok(holder);
    if (this.known.delete(digest)) this.failures.take(source, this.clock.now());
    return refuse("unauthorized", "the token is unknown");
  }

  /**
   * Every request asks the database, so that a revocation applies to the next one. The count is refunded
   * unless the token was wrong, because an outage is not the caller's fault.
   */
  private async lookUp(digest: string, taken: Networks | undefined): Promise<Holder | undefined> {
    this.underWay.set(digest, (this.underWay.get(digest) ?? 0) + 1);
    let wrong = false;
    try {
      const holder = await this.holderOf(digest);
      wrong = holder === undefined;
      if (!wrong) this.remember(digest);
      return holder;
    } finally {
      const left = (this.underWay.get(digest) ?? 1) - 1;
      if (left > 0) this.underWay.set(digest, left);
      else this.underWay.delete(digest);
      if (taken !== undefined && !wrong) this.failures.refund(taken, this.clock.now());
    }
  }

  private remember(digest: string): void {
    if (this.known.size >= KNOWN_MAX) this.known.clear();
    this.known.add(digest);
  }
}
