/** A part of the settings: its name, and what it is for in a sentence. */
interface SettingsPart {
  readonly label: string;
  readonly purpose: string;
}

const part = (label: string, purpose: string): SettingsPart => ({ label, purpose: purpose });

/** The parts of the settings, by their name in the address. */
export const SETTINGS_PARTS = {
  site: part("Site", "The name of your shop, its domain, currency and time zone."),
  skills: part("Actions and requests", "What agents can ask your website for."),
  payments: part("Payments", "Your payment provider, and what is missing before you can sell."),
  shop: part("Shop system", "Take products and prices from WooCommerce or another shop system."),
  notifications: part("Notifications", "Where we notify you, and the messages that were sent."),
  buyers: part("Buyers' data", "Find, export and erase what is stored about a buyer."),
  people: part("People", "Who can sign in, and what they can do."),
  tokens: part("Tokens", "Access for programs."),
  keys: part("Keys", "The keys that sign your documents and your audit log."),
} as const satisfies Readonly<Record<string, SettingsPart>>;

export type SettingsPartName = keyof typeof SETTINGS_PARTS;

export const isSettingsPart = (name: string): name is SettingsPartName =>
  Object.hasOwn(SETTINGS_PARTS, name);
