import type {
  AuthorizationRequest,
  PaymentProvider,
  ProviderAnswer,
} from "../../src/payments/provider.ts";

/** Numbers from 0 to 1, the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const dropped = () => new Error("the connection was lost");

/** Stands before a processor and loses what goes either way, as its numbers say. */
export class FaultyProvider implements PaymentProvider {
  private readonly inner: PaymentProvider;
  /** Chance of a fault, and where it comes from. */
  rate = 0;
  random: () => number = () => 1;

  constructor(inner: PaymentProvider) {
    this.inner = inner;
  }

  get hasAccounts(): boolean {
    return this.inner.hasAccounts;
  }

  private async through<T>(call: () => Promise<T>): Promise<T> {
    const fault = this.random() < this.rate;
    const where = this.random();
    if (fault && where < 0.4) throw dropped();
    const answer = await call();
    if (fault && where < 0.8) throw dropped();
    return answer;
  }

  isReachable(): Promise<boolean> {
    return this.inner.isReachable();
  }

  async authorize(request: AuthorizationRequest): Promise<ProviderAnswer> {
    const said = await this.through(() => this.inner.authorize(request));
    const silent = this.random() < this.rate / 2;
    return silent ? { outcome: "unknown", reason: "processing" } : said;
  }

  read(...asked: Parameters<PaymentProvider["read"]>): ReturnType<PaymentProvider["read"]> {
    return this.through(() => this.inner.read(...asked));
  }

  voidAuthorization(
    ...asked: Parameters<PaymentProvider["voidAuthorization"]>
  ): ReturnType<PaymentProvider["voidAuthorization"]> {
    return this.through(() => this.inner.voidAuthorization(...asked));
  }

  readAuthorization(
    ...asked: Parameters<PaymentProvider["readAuthorization"]>
  ): ReturnType<PaymentProvider["readAuthorization"]> {
    return this.through(() => this.inner.readAuthorization(...asked));
  }

  returns(
    ...asked: Parameters<PaymentProvider["returns"]>
  ): ReturnType<PaymentProvider["returns"]> {
    return this.through(() => this.inner.returns(...asked));
  }

  amountFault(...asked: Parameters<PaymentProvider["amountFault"]>): string | undefined {
    return this.inner.amountFault(...asked);
  }
}
