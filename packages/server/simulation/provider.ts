import type { Money } from "@gatehouse/protocol";
import type { Clock } from "../src/infra/clock.ts";
import { MINUTE_MS, SECOND_MS } from "../src/infra/time.ts";
import type {
  Attempt,
  AuthorizationRequest,
  AuthorizationState,
  PageRequest,
  PaymentProvider,
  ProviderAnswer,
  VoidResult,
} from "../src/payments/provider.ts";
import type { Random } from "./random.ts";

/** What the provider's own books say of one attempt. */
export interface Held {
  readonly key: string;
  readonly reference: string;
  readonly amount: Money;
  readonly closesAt: number | null;
  /** When a payment that is processed is authorized. */
  readonly processedAt: number;
  status: "authorized" | "declined" | "open" | "processing" | "released" | "captured";
  /** How often money was set aside for it. More than once is never right. */
  authorizations: number;
}

/** What buyers pay with, and what the provider says to it. */
export const TOKENS = {
  good: "pm_card_visa",
  declined: "pm_card_chargeDeclined",
  challenged: "pm_card_threeDSecureRequired",
  processing: "pm_usBankAccount_processing",
} as const;

const CLOSED = "page_closed";
const PAGES = "https://pay.example/pages/";
const AMOUNT_MINOR_MAX = 99_999_999;
/** A request that was cut off has had its effect by then, or never will: the service relies on that. */
const UNDER_WAY_MS_MAX = 9 * MINUTE_MS;

/**
 * A payment provider with books of its own, which survive every crash of the service. Requests and answers are
 * lost, late or repeated, as often as `faultRate` says.
 */
export class SimulatedProvider implements PaymentProvider {
  readonly hasAccounts = false;
  /** By idempotency key. */
  readonly books = new Map<string, Held>();
  faultRate = 0;
  /** Buyers who are about to pay, by key: after how many calls about it. */
  private readonly about = new Map<string, number>();
  private readonly clock: Clock;
  private readonly random: Random;

  constructor(clock: Clock, random: Random) {
    this.clock = clock;
    this.random = random;
  }

  async isReachable(): Promise<boolean> {
    return !this.random.chance(this.faultRate / 2);
  }

  authorize(request: AuthorizationRequest): Promise<ProviderAnswer> {
    return this.through(() => this.receive(request, request.token, request.returnUrl !== null));
  }

  openPage(request: PageRequest): Promise<ProviderAnswer> {
    return this.through(() => this.receive(request, null, true));
  }

  read({ idempotencyKey }: Attempt): Promise<ProviderAnswer | undefined> {
    return this.through(() => {
      const held = this.books.get(idempotencyKey);
      const answer = held && this.answerOf(held);
      this.callEnded(idempotencyKey);
      return answer;
    });
  }

  /** Like a real provider, it does not know what never arrived, and cannot keep it from arriving. */
  voidAuthorization({ idempotencyKey }: Attempt): Promise<VoidResult> {
    return this.through(() => {
      const held = this.books.get(idempotencyKey);
      if (held?.status === "captured") return { outcome: "captured", captured: held.amount };
      if (held !== undefined && held.status !== "declined") held.status = "released";
      return { outcome: "released" };
    });
  }

  readAuthorization({ idempotencyKey }: Attempt): Promise<AuthorizationState | undefined> {
    return this.through(() => {
      const held = this.books.get(idempotencyKey);
      if (held?.status === "captured") {
        return { status: "captured", expiresAt: null, captured: held.amount };
      }
      if (held?.status !== "authorized" && held?.status !== "released") return undefined;
      return { status: held.status, expiresAt: null, captured: null };
    });
  }

  returns(): Promise<readonly []> {
    return this.through(() => []);
  }

  amountFault({ minor }: Money): string | undefined {
    return minor >= 1 && minor <= AMOUNT_MINOR_MAX ? undefined : "no such amount";
  }

  /** What a buyer does on a page, or at the bank. Returns whether anything could be done there. */
  answerPage(url: string, answer: "pay" | "refuse"): boolean {
    const held = [...this.books.values()].find(({ reference }) => PAGES + reference === url);
    if (held?.status !== "open" || this.clock.now() >= (held.closesAt ?? Number.MAX_VALUE)) {
      return false;
    }
    if (answer === "pay") this.setAside(held);
    // A declined card leaves a page open; a refusal at the bank ends the payment.
    else if (held.closesAt === null) held.status = "declined";
    return true;
  }

  /**
   * A buyer pays on a page between two calls of the service about it: after so many of them. That is where it
   * matters whether one of them saw the payment.
   */
  payBetweenCalls(url: string, calls: number): void {
    const held = [...this.books.values()].find(({ reference }) => PAGES + reference === url);
    if (held?.status === "open") this.about.set(held.key, calls);
  }

  private callEnded(key: string): void {
    const left = (this.about.get(key) ?? 0) - 1;
    const held = this.books.get(key);
    if (left > 0) this.about.set(key, left);
    else if (left === 0 && this.about.delete(key) && held !== undefined) {
      this.answerPage(PAGES + held.reference, "pay");
    }
  }

  /** The owner captures an authorization at the provider. */
  captureThere(key: string): void {
    const held = this.books.get(key);
    if (held?.status === "authorized") held.status = "captured";
  }

  private setAside(held: Held): void {
    held.status = "authorized";
    held.authorizations++;
  }

  /** Each key is carried out once, however often it arrives. */
  private receive(
    { idempotencyKey: key, amount, ...request }: AuthorizationRequest | PageRequest,
    token: string | null,
    hasBuyer: boolean,
  ): ProviderAnswer {
    const before = this.books.get(key);
    if (before !== undefined) return this.answerOf(before);
    const held: Held = {
      key,
      reference: `ref_${this.books.size + 1}_${key.slice(-6)}`,
      amount,
      closesAt: "closesAt" in request ? request.closesAt : null,
      processedAt: this.clock.now() + MINUTE_MS,
      status: "declined",
      authorizations: 0,
    };
    this.books.set(key, held);
    if (token === TOKENS.good) this.setAside(held);
    else if (token === TOKENS.processing) held.status = "processing";
    else if (hasBuyer && (token === null || token === TOKENS.challenged)) held.status = "open";
    return this.answerOf(held);
  }

  private answerOf(held: Held): ProviderAnswer {
    const { reference, closesAt } = held;
    const now = this.clock.now();
    if (held.status === "processing" && now >= held.processedAt) this.setAside(held);
    switch (held.status) {
      case "authorized":
      case "captured":
        return { outcome: "authorized", reference, expiresAt: null };
      case "processing":
        return { outcome: "unknown", reason: "processing", reference };
      case "declined":
        return { outcome: "declined", reason: "card_declined", reference };
      case "released":
        return { outcome: "declined", reason: "released", reference };
      case "open":
        if (closesAt !== null && now >= closesAt) {
          return { outcome: "declined", reason: CLOSED, reference };
        }
        return {
          outcome: "unknown",
          reason: "requires_action",
          reference,
          challengeUrl: PAGES + reference,
        };
    }
  }

  /** The network between the service and the provider. */
  private async through<T>(effect: () => T): Promise<T> {
    if (!this.random.chance(this.faultRate)) return effect();
    const fault = this.random.weighted({
      lostBefore: 3,
      lostAfter: 3,
      slowAnswer: 2,
      slowRequest: 2,
      arrivesUnheard: 1,
    });
    if (fault === "lostBefore") throw new Error("the request was lost");
    if (fault === "slowAnswer") {
      const answer = effect();
      return this.later(this.random.int(1, 40) * SECOND_MS, () => answer);
    }
    if (fault === "slowRequest") return this.later(this.random.int(1, 40) * SECOND_MS, effect);
    if (fault === "lostAfter") effect();
    else void this.later(this.random.int(SECOND_MS, UNDER_WAY_MS_MAX), effect);
    throw new Error("the answer was lost");
  }

  private later<T>(ms: number, effect: () => T): Promise<T> {
    return new Promise((resolve) => this.clock.after(ms, () => resolve(effect())));
  }
}
