import { createHmac, type KeyObject } from "node:crypto";
import type { Secrets } from "../secrets/secrets.js";

/** The number of shares that networks are mapped to. */
const SHARES = 4096;

/**
 * Maps the networks of callers to numbers, so that each has a share of what strangers may store. The
 * numbers may be stored: many networks have the same number, and without the secrets key nobody can
 * tell which.
 */
export class NetworkShares {
  private readonly key: KeyObject;

  constructor(secrets: Secrets) {
    this.key = secrets.keyFor("networks of unsigned callers v1");
  }

  /** `network`: the largest network of an address. */
  shareOf(network: string): string {
    const mac = createHmac("sha256", this.key).update(network).digest();
    return (mac.readUInt16BE(0) % SHARES).toString(16).padStart(3, "0");
  }
}
