/**
 * How long personal data is kept after an order has ended, unless the owner chooses otherwise: two years, in
 * which buyers in the European Union can complain about faulty goods.
 */
export const RETENTION_DAYS = 730;
/** Ten years, the longest that bookkeeping rules ask for. */
export const RETENTION_DAYS_MAX = 3650;

/** How long a site keeps personal data after an order has ended; null for ever. */
export type RetentionDays = number | null;
