import { NETWORK_FACTORS, type Networks, prefixOf } from "../../../infra/networks.js";
import { RESERVED, SMALL } from "./fair-rate.js";

/** Bytes in memory, by network. */
type BytesByNetwork = Map<string, number>;

function add(byNetwork: BytesByNetwork, key: string, bytes: number): void {
  const sum = (byNetwork.get(key) ?? 0) + bytes;
  if (sum > 0) byNetwork.set(key, sum);
  else byNetwork.delete(key);
}

/**
 * Limits the bytes of request bodies in memory: for one address, with more for its larger networks, and
 * for the whole process. The last part of the process's limit is reserved for networks that use hardly
 * any of it, so their bodies can be read even while many others are half-sent.
 */
export class BodyMemory {
  private readonly perAddress: number;
  private readonly total: number;
  private readonly byNetwork: BytesByNetwork = new Map();
  /** By the largest network, to know how many share the total. */
  private readonly byPrefix: BytesByNetwork = new Map();
  private held = 0;

  constructor({ perAddress, total }: { readonly perAddress: number; readonly total: number }) {
    this.perAddress = perAddress;
    this.total = total;
  }

  /** Bytes in memory now. */
  get bytes(): number {
    return this.held;
  }

  /** Adds bytes, or says which limit they would exceed. */
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
