import { RESERVED, SMALL } from "./fair-rate.js";
import { NETWORK_FACTORS, type Networks, prefixOf } from "./networks.js";

/** What one network holds in memory. */
type Held = Map<string, number>;

function add(held: Held, key: string, bytes: number): void {
  const sum = (held.get(key) ?? 0) + bytes;
  if (sum > 0) held.set(key, sum);
  else held.delete(key);
}

/**
 * Bytes of bodies that are in memory and not yet done with: so many for one address, with more for
 * its larger networks, and so many for the whole process. The last part of the process's is kept for
 * prefixes that hold hardly any: a body of theirs can be read however many others stand half-sent.
 */
export class HeldBytes {
  private readonly perAddress: number;
  private readonly total: number;
  private readonly byNetwork: Held = new Map();
  /** By prefix, once more: to know how many share the total. */
  private readonly byPrefix: Held = new Map();
  private held = 0;

  constructor({ perAddress, total }: { readonly perAddress: number; readonly total: number }) {
    this.perAddress = perAddress;
    this.total = total;
  }

  /** Bytes held now. */
  get bytes(): number {
    return this.held;
  }

  /** Holds so many more, or says whose limit they would exceed. */
  hold(networks: Networks, bytes: number): "address" | "process" | undefined {
    for (let i = 0; i < networks.length; i++) {
      const own = this.byNetwork.get(networks[i] as string) ?? 0;
      if (own + bytes > this.perAddress * (NETWORK_FACTORS[i] as number)) return "address";
    }
    if (!this.hasRoom(prefixOf(networks), bytes)) return "process";
    this.move(networks, bytes);
    return undefined;
  }

  release(networks: Networks, bytes: number): void {
    this.move(networks, -bytes);
  }

  private hasRoom(prefix: string, bytes: number): boolean {
    if (this.held + bytes <= this.total * (1 - RESERVED)) return true;
    if (this.held + bytes > this.total) return false;
    const prefixes = Math.max(this.byPrefix.size, 1);
    const own = (this.byPrefix.get(prefix) ?? 0) + bytes;
    return own <= (this.total * SMALL) / prefixes;
  }

  private move(networks: Networks, bytes: number): void {
    for (let i = 0; i < networks.length; i++) add(this.byNetwork, networks[i] as string, bytes);
    add(this.byPrefix, prefixOf(networks), bytes);
    this.held += bytes;
  }
}
