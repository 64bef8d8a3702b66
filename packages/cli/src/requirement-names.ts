/** What people read instead of the names that the API gives to the requirements for selling. */
const NAMES: Readonly<Record<string, string>> = {
  processor: "payment provider",
  rail: "payments by agents",
  settlement: "payouts confirmed",
  policy: "published rules",
  wallet: "Google Pay",
  mandates: "signed requests",
  rules: "purchases in rules",
  skill: "action place_order",
};

export const requirementName = (name: string): string => NAMES[name] ?? name;

/** The width of the longest name, to align lines. */
export const REQUIREMENT_WIDTH = Math.max(...Object.values(NAMES).map(({ length }) => length));
