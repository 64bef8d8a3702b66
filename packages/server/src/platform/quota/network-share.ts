import { createHmac, type KeyObject } from "node:crypto";
import type { Secrets } from "../secrets/secrets.js";

/** Networks fall into so many shares. */
const SHARES = 4096;

/**
 * Numbers for the networks that callers come from, so that each has a share of what strangers may
 * use together. They may be stored: many networks have one number, and without the secrets key
 * nobody can tell which.
 */
export class NetworkShares {
  private readonly key: KeyObject;

  constructor(secrets: Secrets) {
    this.key = secrets.keyFor("networks of unsigned callers v1");
  }

  /** `network`: a prefix, as totals are shared out by. */
  shareOf(network: string): string {
    const mac = createHmac("sha256", this.key).update(network).digest();
    return (mac.readUInt16BE(0) % SHARES).toString(16).padStart(3, "0");
  }
}
