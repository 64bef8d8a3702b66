import Stripe from "stripe";
import { onTestFinished } from "vitest";
import type { KeyOptions } from "./accounts.ts";
import { stripeSchemas } from "./schemas.ts";
import { StripeSimulator } from "./simulator.ts";

/** A moment for clocks that stand still; any would do. */
export const NOON = Date.UTC(2030, 4, 17, 12, 0, 0);

export const MANUAL = {
  amount: 2500,
  currency: "eur",
  capture_method: "manual",
  confirm: true,
  payment_method: "pm_card_visa",
  error_on_requires_action: true,
} as const;

/** The real library, pointed at a simulator. */
export function clientOf({ url }: StripeSimulator, key: string): Stripe {
  const { hostname, port } = new URL(url);
  const place = { host: hostname, port: Number(port), protocol: "http" } as const;
  return new Stripe(key, { ...place, maxNetworkRetries: 0, telemetry: false });
}

/** What the library makes of a refusal. */
export async function failureOf(asked: Promise<unknown>): Promise<Stripe.errors.StripeError> {
  try {
    await asked;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

/** Simulators of a test file, and all that was said between them and the library. */
export class Bench {
  private readonly used: { readonly simulator: StripeSimulator; readonly accountId: string }[] = [];

  async setUp(options: KeyOptions & { mode?: "test" | "live" } = {}) {
    const clock = { now: NOON };
    const simulator = await StripeSimulator.start({ now: () => clock.now });
    onTestFinished(() => simulator.stop());
    const account = simulator.openAccount(options);
    this.used.push({ simulator, accountId: account.id });
    const eventTypes = () => simulator.events(account.id).map(({ type }) => type);
    return { simulator, clock, account, stripe: clientOf(simulator, account.key), eventTypes };
  }

  /** What of it is not as Stripe's schemas say, and how much was looked at. */
  review(): { readonly looked: number; readonly faults: readonly string[] } {
    const calls = this.used.flatMap(({ simulator }) => simulator.calls);
    const events = this.used.flatMap(({ simulator, accountId }) => simulator.events(accountId));
    const faults = [
      ...calls.flatMap((call) => stripeSchemas?.ofCall(call) ?? []),
      ...events.flatMap((event) => stripeSchemas?.ofEvent(event) ?? []),
    ];
    return { looked: calls.length + events.length, faults };
  }
}
