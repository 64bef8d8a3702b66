import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import { fromBase64url } from "@gatehouse/protocol";
import type { Ids } from "../../../infra/ids.js";
import type { Secrets } from "../../../infra/secrets/secrets.js";
import { MINUTE_MS } from "../../../infra/time.js";

/** How long a person has to use their passkey. */
const CHALLENGE_MS = 5 * MINUTE_MS;
const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const BODY_BYTES = TIME_BYTES + RANDOM_BYTES;
const MAC_BYTES = 32;

/** What a passkey is asked for: an answer to one question is of no use for another. */
export type PasskeyPurpose = "sign_in" | "register" | "confirm";

/**
 * Challenges that need no storage, so that strangers who begin to sign in leave nothing. Each carries its
 * expiry, and a MAC binds it to its purpose and to the session it was made for. Answers are remembered,
 * so that none counts twice.
 */
export class PasskeyChallenges {
  private readonly key: KeyObject;
  private readonly ids: Ids;

  constructor(secrets: Secrets, ids: Ids) {
    this.key = secrets.keyFor("passkey challenge v1");
    this.ids = ids;
  }

  private mac(purpose: PasskeyPurpose, sessionId: string, body: Uint8Array): Buffer {
    return createHmac("sha256", this.key).update(`${purpose} ${sessionId} `).update(body).digest();
  }

  /** `sessionId` is empty for somebody who signs in. */
  issue(purpose: PasskeyPurpose, sessionId: string, now: number): Uint8Array<ArrayBuffer> {
    const body = new Uint8Array(BODY_BYTES);
    Buffer.from(body.buffer).writeUIntBE(now + CHALLENGE_MS, 0, TIME_BYTES);
    body.set(this.ids.bytes(RANDOM_BYTES), TIME_BYTES);
    const challenge = new Uint8Array(BODY_BYTES + MAC_BYTES);
    challenge.set(body);
    challenge.set(this.mac(purpose, sessionId, body), BODY_BYTES);
    return challenge;
  }

  /** When a challenge of this service expires; undefined if it is another's, or has expired. */
  expiryOf(
    purpose: PasskeyPurpose,
    sessionId: string,
    challenge: string,
    now: number,
  ): number | undefined {
    const bytes = fromBase64url(challenge);
    if (bytes?.length !== BODY_BYTES + MAC_BYTES) return undefined;
    const body = bytes.subarray(0, BODY_BYTES);
    if (!timingSafeEqual(bytes.subarray(BODY_BYTES), this.mac(purpose, sessionId, body))) {
      return undefined;
    }
    const expiresAt = Buffer.from(body).readUIntBE(0, TIME_BYTES);
    return now < expiresAt ? expiresAt : undefined;
  }
}
