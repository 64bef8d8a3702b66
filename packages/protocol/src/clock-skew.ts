/** How far the clocks of a signer and a reader may differ. */
export const CLOCK_SKEW_S = 60;
export const CLOCK_SKEW_MS = CLOCK_SKEW_S * 1000;
