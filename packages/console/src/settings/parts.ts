/** The parts of the settings, by their name in the address. */
export const SETTINGS_PARTS = {
  site: "Site",
  skills: "Actions and requests",
  payments: "Payments",
  shop: "Shop system",
  notifications: "Notifications",
  buyers: "Buyers' data",
  people: "People",
  tokens: "Tokens",
  keys: "Keys",
} as const;
