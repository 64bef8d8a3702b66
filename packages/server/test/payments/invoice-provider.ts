import type { Money } from "@gatehouse/protocol";
import type {
  Attempt,
  AuthorizationRequest,
  AuthorizationState,
  MoneyReturn,
  PaymentProvider,
  ProviderAnswer,
  VoidResult,
} from "../../src/payments/provider.ts";

interface Invoice {
  readonly customer: string;
  readonly amount: Money;
  status: "open" | "paid" | "void";
}

/** A third provider: every customer may buy on account, and the owner marks invoices as paid by hand. */
export class InvoiceProvider implements PaymentProvider {
  readonly hasAccounts = false;
  readonly invoices = new Map<string, Invoice>();

  async isReachable(): Promise<boolean> {
    return true;
  }

  async authorize(request: AuthorizationRequest): Promise<ProviderAnswer> {
    const reference = referenceOf(request);
    const { token: customer, amount } = request;
    if (!this.invoices.has(reference)) {
      this.invoices.set(reference, { customer, amount, status: "open" });
    }
    return { outcome: "authorized", reference, expiresAt: null };
  }

  async read(attempt: Attempt): Promise<ProviderAnswer | undefined> {
    const reference = referenceOf(attempt);
    if (!this.invoices.has(reference)) return undefined;
    return { outcome: "authorized", reference, expiresAt: null };
  }

  async voidAuthorization(attempt: Attempt): Promise<VoidResult> {
    const invoice = this.invoices.get(referenceOf(attempt));
    if (invoice?.status === "paid") return { outcome: "captured", captured: invoice.amount };
    if (invoice !== undefined) invoice.status = "void";
    return { outcome: "released" };
  }

  async readAuthorization(attempt: Attempt): Promise<AuthorizationState | undefined> {
    const invoice = this.invoices.get(referenceOf(attempt));
    if (invoice === undefined) return undefined;
    if (invoice.status === "paid") {
      return { status: "captured", expiresAt: null, captured: invoice.amount };
    }
    const status = invoice.status === "void" ? "released" : "authorized";
    return { status, expiresAt: null, captured: null };
  }

  async returns(): Promise<readonly MoneyReturn[]> {
    return [];
  }

  amountFault(): undefined {
    return undefined;
  }

  /** What the owner does by hand when the money has come. */
  markPaid(reference: string): void {
    const invoice = this.invoices.get(reference);
    if (invoice === undefined) throw new Error("there is no such invoice");
    invoice.status = "paid";
  }
}

const referenceOf = ({ idempotencyKey }: Attempt) => `inv_${idempotencyKey}`;
