import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { fromBase64url, toBase64url } from "@gatehouse/protocol";
import type { Ids } from "./ids.js";

const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const BODY_BYTES = TIME_BYTES + RANDOM_BYTES;
const MAC_BYTES = 32;

/**
 * Challenges that need no storage: each contains its expiry, and a MAC that every node can check binds it to
 * what it was made for. Strangers who ask for one leave nothing behind.
 */
export class TimedChallenges {
  private readonly key: KeyObject;
  private readonly ids: Ids;
  private readonly lastsMs: number;

  constructor(key: KeyObject, ids: Ids, lastsMs: number) {
    this.key = key;
    this.ids = ids;
    this.lastsMs = lastsMs;
  }

  private mac(purpose: string, body: Uint8Array): Buffer {
    return createHmac("sha256", this.key).update(`${purpose} `).update(body).digest();
  }

  /** A challenge in base64url. `purpose` names everything that it is bound to. */
  issue(purpose: string, now: number): { readonly challenge: string; readonly expiresAt: number } {
    const expiresAt = now + this.lastsMs;
    const body = Buffer.alloc(BODY_BYTES);
    body.writeUIntBE(expiresAt, 0, TIME_BYTES);
    body.set(this.ids.bytes(RANDOM_BYTES), TIME_BYTES);
    return { challenge: toBase64url(Buffer.concat([body, this.mac(purpose, body)])), expiresAt };
  }

  /** When a challenge expires; undefined if it was made for something else, or has expired. */
  expiryOf(purpose: string, challenge: string, now: number): number | undefined {
    const bytes = fromBase64url(challenge);
    if (bytes?.length !== BODY_BYTES + MAC_BYTES) return undefined;
    const body = bytes.subarray(0, BODY_BYTES);
    if (!timingSafeEqual(bytes.subarray(BODY_BYTES), this.mac(purpose, body))) return undefined;
    const expiresAt = Buffer.from(body).readUIntBE(0, TIME_BYTES);
    return now < expiresAt ? expiresAt : undefined;
  }
}
