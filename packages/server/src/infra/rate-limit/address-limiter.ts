import { NETWORK_FACTORS, type Networks } from "../networks.js";
import { LocalLimiter, type Rate } from "./local.js";

/**
 * A rate by address. Each network of the address is counted separately, larger ones with a larger
 * allowance, so a new address in a /64, or a new /64 in a /48, does not reset the count.
 */
export class AddressLimiter {
  private readonly limiters: readonly LocalLimiter[];

  constructor({ perMinute, burst = perMinute }: Rate) {
    this.limiters = NETWORK_FACTORS.map(
      (factor) => new LocalLimiter({ perMinute: perMinute * factor, burst: burst * factor }),
    );
  }

  /** Networks it remembers. */
  get size(): number {
    return this.limiters.reduce((sum, { size }) => sum + size, 0);
  }

  /** Milliseconds until `places` more are allowed; 0 if they are allowed now. Changes nothing. */
  wait(networks: Networks, now: number, places = 1): number {
    let waitMs = 0;
    for (let i = 0; i < networks.length; i++) {
      const own = this.of(i).wait(networks[i] as string, now, places);
      if (own > waitMs) waitMs = own;
    }
    return waitMs;
  }

  /** Admits a request that counts as `places`, or says how long to wait; a refused one counts nothing. */
  take(networks: Networks, now: number, places = 1): number {
    // Every request runs this: each network is looked up once and written once.
    let waitMs = 0;
    const arrivals = [0, 0, 0];
    for (let i = 0; i < networks.length; i++) {
      const limiter = this.of(i);
      const arrival = limiter.arrival(networks[i] as string, now, places);
      arrivals[i] = arrival;
      waitMs = Math.max(waitMs, limiter.waitFor(arrival, now));
    }
    if (waitMs > 0) return waitMs;
    for (let i = 0; i < networks.length; i++) {
      this.of(i).keep(networks[i] as string, arrivals[i] as number);
    }
    return 0;
  }

  /** Charges places even beyond the limit; the next request waits longer for them. */
  charge(networks: Networks, now: number, places: number): void {
    for (let i = 0; i < networks.length; i++) this.of(i).charge(networks[i] as string, now, places);
  }

  /** Gives back what {@link take} took. */
  refund(networks: Networks, now: number): void {
    for (let i = 0; i < networks.length; i++) this.of(i).refund(networks[i] as string, now);
  }

  private of(index: number): LocalLimiter {
    return this.limiters[index] as LocalLimiter;
  }
}
