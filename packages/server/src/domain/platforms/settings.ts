import { type Money, minorUnitDigits, parseAmount } from "@gatehouse/protocol";

/** Which platforms may pay without sending the buyer to the shop. */
export const ACCEPTED_PLATFORMS = ["any", "admitted"] as const;
export type AcceptedPlatforms = (typeof ACCEPTED_PLATFORMS)[number];

/** The shared limits of all platforms that the owner has not admitted. */
export interface PlatformPool {
  /** By currency, as `250.00`; a currency that is not named has its default. */
  readonly spendPerDay: Readonly<Record<string, string>>;
  readonly purchasesPerHour: number;
  readonly purchasesPerDay: number;
  /** How many of their purchases may wait for a review. */
  readonly pendingReviews: number;
}

export interface PlatformSettings {
  /** Null if the owner has not chosen: see `acceptedBy`. */
  readonly accepted: AcceptedPlatforms | null;
  readonly pool: PlatformPool;
}

export const DEFAULT_POOL: PlatformPool = Object.freeze({
  spendPerDay: Object.freeze({}),
  purchasesPerHour: 100,
  purchasesPerDay: 500,
  pendingReviews: 100,
});

/** What the pool may spend in a day by default, in euros or about as much in another currency. */
export const DEFAULT_SPEND_PER_DAY = 5_000;

/** How many units are about a euro, in powers of ten, for currencies where one unit is much less. */
const UNITS_PER_EURO: Readonly<Record<string, number>> = {
  CZK: 10,
  DKK: 10,
  NOK: 10,
  SEK: 10,
  MXN: 10,
  ZAR: 10,
  THB: 10,
  TWD: 10,
  TRY: 10,
  PHP: 10,
  EGP: 10,
  UAH: 10,
  HKD: 10,
  CNY: 10,
  MAD: 10,
  UYU: 10,
  MDL: 10,
  DOP: 10,
  HNL: 10,
  NIO: 10,
  INR: 100,
  JPY: 100,
  HUF: 100,
  ISK: 100,
  RUB: 100,
  KES: 100,
  RSD: 100,
  BDT: 100,
  LKR: 100,
  PKR: 100,
  NPR: 100,
  DZD: 100,
  JMD: 100,
  KZT: 100,
  ALL: 100,
  AMD: 100,
  XOF: 100,
  XAF: 100,
  KRW: 1_000,
  CLP: 1_000,
  COP: 1_000,
  CRC: 100,
  NGN: 1_000,
  ARS: 1_000,
  TZS: 1_000,
  UGX: 1_000,
  PYG: 1_000,
  MMK: 1_000,
  KHR: 1_000,
  MNT: 1_000,
  IQD: 1_000,
  RWF: 1_000,
  IDR: 10_000,
  VND: 10_000,
  LAK: 10_000,
  UZS: 10_000,
  GNF: 10_000,
  IRR: 10_000,
  LBP: 100_000,
};

/** By default, a site with a live account accepts only platforms that its owner admitted. */
export function acceptedBy(
  { accepted }: PlatformSettings,
  provider: { readonly live: boolean } | null,
): AcceptedPlatforms {
  return accepted ?? (provider?.live === true ? "admitted" : "any");
}

/** What the pool may spend in a currency in a day, in whole minor units. */
export function poolSpend({ spendPerDay }: PlatformPool, currency: string): number {
  const named = spendPerDay[currency];
  const limit = named === undefined ? undefined : parseAmount(named, currency);
  if (limit?.ok) return (limit.value satisfies Money).minor;
  const unit = 10 ** (minorUnitDigits(currency) ?? 2);
  return DEFAULT_SPEND_PER_DAY * (UNITS_PER_EURO[currency] ?? 1) * unit;
}
