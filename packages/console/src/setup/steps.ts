/** The steps of the set-up, in their order. */
export const STEPS = ["documents", "install", "policy", "processor", "purchase"] as const;
export type Step = (typeof STEPS)[number];
