import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { fromBase64url, toBase64url } from "@gatehouse/protocol";
import type { Ids } from "../../infra/ids.js";
import type { Secrets } from "../../infra/secrets/secrets.js";
import { MINUTE_MS } from "../../infra/time.js";

/** How long an agent has to answer a challenge. */
const CHALLENGE_MS = 5 * MINUTE_MS;
const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 32;
const BYTES = TIME_BYTES + RANDOM_BYTES + MAC_BYTES;

/** The site and key that a challenge was made for. */
export interface ChallengedKey {
  readonly siteKeyHash: string;
  readonly kid: string;
}

/**
 * Challenges that need no storage: each carries its expiry, and a MAC that every node can check
 * binds it to its site and key. A challenge may be answered twice, because registering twice
 * changes nothing.
 */
export class Challenges {
  private readonly key: KeyObject;
  private readonly ids: Ids;

  constructor(secrets: Secrets, ids: Ids) {
    this.key = secrets.keyFor("agent challenge v1");
    this.ids = ids;
  }

  private mac({ siteKeyHash, kid }: ChallengedKey, body: Uint8Array): Buffer {
    return createHmac("sha256", this.key).update(`${siteKeyHash} ${kid} `).update(body).digest();
  }

  issue(challenged: ChallengedKey, now: number): { challenge: string; expiresAt: number } {
    const expiresAt = now + CHALLENGE_MS;
    const body = Buffer.alloc(TIME_BYTES + RANDOM_BYTES);
    body.writeUIntBE(expiresAt, 0, TIME_BYTES);
    body.set(this.ids.bytes(RANDOM_BYTES), TIME_BYTES);
    const challenge = toBase64url(Buffer.concat([body, this.mac(challenged, body)]));
    return { challenge, expiresAt };
  }

  /** Whether this service made the challenge for this site and key, and it has not expired. */
  verify(challenged: ChallengedKey, challenge: string, now: number): boolean {
    const bytes = fromBase64url(challenge);
    if (bytes?.length !== BYTES) return false;
    const body = bytes.subarray(0, TIME_BYTES + RANDOM_BYTES);
    const mac = bytes.subarray(TIME_BYTES + RANDOM_BYTES);
    if (!timingSafeEqual(mac, this.mac(challenged, body))) return false;
    return now < Buffer.from(body).readUIntBE(0, TIME_BYTES);
  }
}
