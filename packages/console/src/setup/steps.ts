/** The steps of the setup, in order. */
export const STEPS = ["documents", "install", "policy", "processor", "purchase"] as const;
export type Step = (typeof STEPS)[number];
