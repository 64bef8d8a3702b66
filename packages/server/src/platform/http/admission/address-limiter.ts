import { LocalLimiter, type Rate } from "../../rate-limit/local.js";
import { NETWORK_FACTORS, type Networks } from "./networks.js";

/**
 * A rate by address. Each network of the address is counted by itself, the larger ones with a larger
 * allowance, so that neither a new address in a /64 nor a new /64 in a /48 starts afresh.
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

  /** Milliseconds to wait before one more may pass; 0 when it may pass now. Takes nothing. */
  wait(networks: Networks, now: number, places = 1): number {
    let waitMs = 0;
    for (let i = 0; i < networks.length; i++) {
      const own = this.of(i).wait(networks[i] as string, now, places);
      if (own > waitMs) waitMs = own;
    }
    return waitMs;
  }

  /** Lets one pass that takes so many places, or says how long to wait; a refused one takes nothing. */
  take(networks: Networks, now: number, places = 1): number {
    // An IPv4 address is one network: asked and taken in one step.
    if (networks.length === 1) return this.of(0).take(networks[0], now, places);
    const waitMs = this.wait(networks, now, places);
    if (waitMs > 0) return waitMs;
    for (let i = 0; i < networks.length; i++) this.of(i).take(networks[i] as string, now, places);
    return 0;
  }

  /** Charges places that may not be there any more: what is owed is waited for by whoever comes next. */
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
