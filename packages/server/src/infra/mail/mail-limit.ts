import { hash } from "node:crypto";
import type { Transaction } from "../db/database.js";
import { takeExact } from "../rate-limit/exact.js";
import type { Rate } from "../rate-limit/local.js";

/** Mails of one kind from one shop to one address. Nobody needs more, and nobody can flood a mailbox. */
const ADDRESS_RATE: Rate = { perMinute: 0.1, burst: 12 };
/** How long an address that has had too many waits for the next one. */
export const NEXT_MAIL_S = 60 / ADDRESS_RATE.perMinute;

/** Mails of one kind from one shop to everybody. */
const SHOP_RATES = {
  /** About orders. */
  buyer: { perMinute: 60, burst: 600 },
  /** With links that sign people in. */
  link: { perMinute: 1, burst: 120 },
  /** That the owner sends again. */
  resent: { perMinute: 60, burst: 600 },
} as const;

interface LimitedMail {
  readonly kind: keyof typeof SHOP_RATES;
  /** A site key hash, or the name of the installation. */
  readonly from: string;
  readonly to: string;
}

/** Counts a mail, unless there were too many. The rows do not contain the address itself. */
export async function mayMail(
  tx: Transaction,
  { kind, from, to }: LimitedMail,
  now: number,
): Promise<boolean> {
  const name = hash("sha256", to.toLowerCase(), "hex").slice(0, 32);
  return (
    (await takeExact(tx, `${kind} ${from} ${name}`, ADDRESS_RATE, now)) &&
    (await takeExact(tx, `${kind}s ${from}`, SHOP_RATES[kind], now))
  );
}
