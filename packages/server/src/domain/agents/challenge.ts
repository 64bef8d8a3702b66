import type { Ids } from "../../infra/ids.js";
import type { Secrets } from "../../infra/secrets/secrets.js";
import { MINUTE_MS } from "../../infra/time.js";
import { TimedChallenges } from "../../infra/timed-challenges.js";

/** How long an agent has to answer a challenge. */
const CHALLENGE_MS = 5 * MINUTE_MS;

/** The site and key that a challenge was made for. */
export interface ChallengedKey {
  readonly siteKeyHash: string;
  readonly kid: string;
}

const purposeOf = ({ siteKeyHash, kid }: ChallengedKey) => `${siteKeyHash} ${kid}`;

/** Challenges for agents that register. One may be answered twice, because registering twice changes nothing. */
export class Challenges {
  private readonly timed: TimedChallenges;

  constructor(secrets: Secrets, ids: Ids) {
    this.timed = new TimedChallenges(secrets.keyFor("agent challenge v1"), ids, CHALLENGE_MS);
  }

  issue(challenged: ChallengedKey, now: number): { challenge: string; expiresAt: number } {
    return this.timed.issue(purposeOf(challenged), now);
  }

  /** Whether this service made the challenge for this site and key, and it has not expired. */
  verify(challenged: ChallengedKey, challenge: string, now: number): boolean {
    return this.timed.expiryOf(purposeOf(challenged), challenge, now) !== undefined;
  }
}
