import type { Ids } from "../src/infra/ids.ts";

/** The one source of chance of a run: the same seed gives the same numbers. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = Math.imul(seed, 0x9e3779b1) >>> 0;
  }

  /** From 0 to 1, without 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  pick<T>(from: readonly T[]): T {
    return from[this.int(0, from.length - 1)] as T;
  }

  /** One of the names, as often as their weights say. */
  weighted<Name extends string>(weights: Readonly<Record<Name, number>>): Name {
    const entries = Object.entries(weights) as [Name, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return (entries.at(-1) as [Name, number])[0];
  }

  /** A wait: most are short, some are several times the mean. */
  waitMs(meanMs: number): number {
    return Math.ceil(-Math.log(1 - this.next()) * meanMs);
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.int(0, 255));
  }
}

const ID_BYTES = 18;

/** Ids by chance of the run, in the form that the service makes them. */
export function seededIds(random: Random): Ids {
  const text = () => Buffer.from(random.bytes(ID_BYTES)).toString("base64url");
  return {
    bytes: (length) => random.bytes(length),
    id: (prefix) => `${prefix}_${text()}`,
    timeId: (prefix, now) => `${prefix}_${now.toString(16).padStart(12, "0")}${text()}`,
    uuid() {
      const hex = Buffer.from(random.bytes(16)).toString("hex");
      const variant = "89ab"[Number.parseInt(hex[16] as string, 16) & 3];
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
    },
  };
}
