/** The door at which something was refused. */
export type RejectionDoor = "mandates" | "mcp";

/** Which refusals are counted together: those of one agent, or of all strangers at a door. */
export interface RejectedCaller {
  readonly siteKeyHash: string;
  readonly door: RejectionDoor;
  /** An agent that the site's owner has approved; undefined for all other callers. */
  readonly agentId?: string | undefined;
}

interface SingleLimits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** Refusals that get a record each; the rest is counted in one record a minute. */
const STRANGERS: SingleLimits = { perMinute: 10, perDay: 500 };
const AGENT: SingleLimits = { perMinute: 60, perDay: 5000 };

export function singleLimits({ agentId }: RejectedCaller): SingleLimits {
  return agentId === undefined ? STRANGERS : AGENT;
}
