/** The parts of the settings, by their name in the address. */
export const SETTINGS_PARTS = {
  site: "Site",
  skills: "Actions and requests",
  payments: "Payments",
  notifications: "Notifications",
  people: "People",
  tokens: "Tokens",
  keys: "Keys",
} as const;
