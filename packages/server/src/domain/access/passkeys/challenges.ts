import type { Ids } from "../../../infra/ids.js";
import type { Secrets } from "../../../infra/secrets/secrets.js";
import { MINUTE_MS } from "../../../infra/time.js";
import { TimedChallenges } from "../../../infra/timed-challenges.js";

/** How long a person has to use their passkey. */
const CHALLENGE_MS = 5 * MINUTE_MS;

/** What a passkey is asked for: an answer for one purpose does not count for another. */
export type PasskeyPurpose = "sign_in" | "register" | "confirm";

/**
 * Challenges for passkeys. Each is bound to its purpose and to the session it was made for. Answers that
 * verified are stored, so that none counts twice.
 */
export class PasskeyChallenges {
  private readonly timed: TimedChallenges;

  constructor(secrets: Secrets, ids: Ids) {
    this.timed = new TimedChallenges(secrets.keyFor("passkey challenge v1"), ids, CHALLENGE_MS);
  }

  /** In base64url. `sessionId` is empty for somebody who signs in. */
  issue(purpose: PasskeyPurpose, sessionId: string, now: number): string {
    return this.timed.issue(`${purpose} ${sessionId}`, now).challenge;
  }

  /** When a challenge of this service expires; undefined if it is another's, or has expired. */
  expiryOf(
    purpose: PasskeyPurpose,
    sessionId: string,
    challenge: string,
    now: number,
  ): number | undefined {
    return this.timed.expiryOf(`${purpose} ${sessionId}`, challenge, now);
  }
}
