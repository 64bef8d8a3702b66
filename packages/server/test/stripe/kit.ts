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

/** What a buyer sees of a payment page. */
export async function lookAt(url: string): Promise<{
  readonly status: number;
  readonly text: string;
  readonly buttons: readonly string[];
}> {
  const response = await fetch(url);
  const text = await response.text();
  const buttons = [...text.matchAll(/<button[^>]*>([^<]*)<\/button>/g)].map(
    ([, name = ""]) => name,
  );
  return { status: response.status, text, buttons };
}

/** Presses a button of a payment page. Returns where the buyer is sent. */
export async function press(url: string, name: string): Promise<string> {
  const { text } = await lookAt(url);
  const [, action] = /<form method="post" action="([^"]+)">/.exec(text) ?? [];
  const [, value] =
    new RegExp(`<button name="do" value="(\\w+)">${name}</button>`).exec(text) ?? [];
  if (action === undefined || value === undefined) throw new Error(`there is no button ${name}`);
  return sendForm(new URL(action, url).href, value);
}

/** Sends what a button sends, however often. */
export async function sendForm(url: string, value: string): Promise<string> {
  const body = new URLSearchParams({ do: value });
  const response = await fetch(url, { method: "POST", body, redirect: "manual" });
  if (response.status !== 303) throw new Error(`the page answered ${response.status}`);
  return new URL(response.headers.get("location") ?? "", url).href;
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
