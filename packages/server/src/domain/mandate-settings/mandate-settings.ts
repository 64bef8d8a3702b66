import { DAY_MS, MINUTE_MS } from "../../infra/time.js";

export interface MandateSettings {
  readonly enabled: boolean;
  /** How long a mandate may be valid. */
  readonly lifeMs: number;
  /** Origins whose agents are approved automatically, if they publish their keys. */
  readonly autoAdmit: readonly string[];
}

export const LIFE_MS_MIN = MINUTE_MS;
export const LIFE_MS_MAX = DAY_MS;
export const AUTO_ADMIT_MAX = 50;

export const DEFAULTS: MandateSettings = Object.freeze({
  enabled: true,
  lifeMs: 15 * MINUTE_MS,
  autoAdmit: [],
});
