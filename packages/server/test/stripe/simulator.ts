import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import { Accounts, type KeyOptions, type SimulatedAccount } from "./accounts.ts";
import type { StripeEvent } from "./adjustments.ts";
import { callOf, type SimulatedCall, type TakenCall } from "./calls.ts";
import { reply } from "./desk.ts";
import { deliver, type Fault, Held } from "./faults.ts";
import { cancel, capture, finish } from "./intents.ts";
import type { Intent } from "./objects.ts";
import { isPage, showPage } from "./pages.ts";
import { dispute, moveDispute, moveRefund, refund } from "./returns.ts";
import { expireDue, type Session } from "./sessions.ts";

/** What a function takes behind the ledger, or behind ledger and intent. */
type Tail1<F extends (...args: never[]) => unknown> =
  Parameters<F> extends [unknown, ...infer Rest] ? Rest : never;
type Tail<F extends (...args: never[]) => unknown> =
  Parameters<F> extends [unknown, unknown, ...infer Rest] ? Rest : never;

/**
 * Stripe as far as authorizing, capturing and giving back go: it keeps what was made, knows its
 * idempotency keys and fails when told to. Nothing of it takes time of its own.
 */
export class StripeSimulator {
  /** Asked for every call before anything is done. */
  fault: (call: SimulatedCall) => Fault | undefined = () => undefined;
  /** What becomes of a request that expands what its key may not read: nobody says for Stripe. */
  expandUnpermitted: "refuse" | "keep_id" = "refuse";
  readonly calls: SimulatedCall[] = [];
  readonly url: string;
  private readonly server: Server;
  private readonly accounts: Accounts;
  private readonly held = new Held();
  private readonly now: () => number;

  private constructor(server: Server, now: () => number) {
    this.server = server;
    this.now = now;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.accounts = new Accounts(now, this.url);
    server.on("request", (request, response) => {
      void callOf(request).then(
        (call) => (isPage(call) ? this.show(call, response) : this.take(call, response)),
        () => response.destroy(),
      );
    });
  }

  static async start({ now = Date.now }: { now?: () => number } = {}): Promise<StripeSimulator> {
    const server = createServer({ requestTimeout: 0, keepAliveTimeout: 0 });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new StripeSimulator(server, now);
  }

  stop(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  /** Listens again where it did before it was stopped. */
  resume(): Promise<void> {
    const { hostname, port } = new URL(this.url);
    return new Promise((resolve) => this.server.listen(Number(port), hostname, resolve));
  }

  /** Pages are for buyers: nothing of them fails, and they are no calls. */
  private show(call: TakenCall, response: ServerResponse): void {
    const { status, headers, body } = showPage(this.accounts, call);
    response.writeHead(status, headers).end(body);
  }

  private take(call: TakenCall, response: ServerResponse): void {
    this.calls.push(call);
    try {
      const fault = this.fault(call);
      if (fault === "drop_before") {
        response.destroy();
        return;
      }
      const said = reply(this.accounts, call, { fault, expandUnpermitted: this.expandUnpermitted });
      const sent = () => {
        call.status = said.answer.status;
        call.answer = JSON.parse(said.answer.body);
      };
      deliver(response, said, { fault, held: this.held, sent });
    } catch (error) {
      // A mistake in here, or in a test's own fault: nobody is to wait for an answer.
      response.destroy();
      throw error;
    }
  }

  /** A new account with a key that may do everything but what it `lacks`. */
  openAccount({ mode = "test", ...key }: KeyOptions & { mode?: "test" | "live" } = {}) {
    return this.accounts.open(mode, key);
  }

  /** Another key of the same account. The first goes on being good until it is revoked. */
  rotateKey({ id }: Pick<SimulatedAccount, "id">, options: KeyOptions = {}): string {
    return this.accounts.addKey(id, options);
  }

  revokeKey(key: string): void {
    this.accounts.revoke(key);
  }

  /** From now on a bank is only asked by a library in a page. */
  stopRedirects(accountId: string): void {
    this.accounts.of(accountId).ledger.redirects = false;
  }

  /** Lets the answers go that are held back. */
  releaseSlow(): void {
    this.held.releaseAll();
  }

  /** Resolves once an answer is held back: what it asked for is done by then. */
  whenSlow(): Promise<void> {
    return this.held.some();
  }

  /** The newest first, as they are now. */
  intents(accountId: string): readonly Readonly<Intent>[] {
    return structuredClone(this.accounts.of(accountId).ledger.all("payment_intent"));
  }

  /** The payment pages of an account, the newest first. */
  sessions(accountId: string): readonly Readonly<Session>[] {
    const { ledger } = this.accounts.of(accountId);
    expireDue(ledger);
    return structuredClone(ledger.all("checkout.session"));
  }

  capture(intentId: string, amount?: number): void {
    const { ledger, intent } = this.accounts.withIntent(intentId);
    capture(ledger, intent, amount);
  }

  cancel(intentId: string): void {
    const { ledger, intent } = this.accounts.withIntent(intentId);
    cancel(ledger, intent, "requested_by_customer");
  }

  /** Nobody captured it in time. */
  lapse(intentId: string): void {
    const { ledger, intent } = this.accounts.withIntent(intentId);
    cancel(ledger, intent, "automatic", true);
  }

  finishProcessing(intentId: string, outcome: Parameters<typeof finish>[2]): void {
    const { ledger, intent } = this.accounts.withIntent(intentId);
    finish(ledger, intent, outcome);
  }

  refund(intentId: string, ...terms: Tail<typeof refund>): string {
    const { ledger, intent } = this.accounts.withIntent(intentId);
    return refund(ledger, intent, ...terms);
  }

  moveRefund(accountId: string, ...moved: Tail1<typeof moveRefund>): void {
    moveRefund(this.accounts.of(accountId).ledger, ...moved);
  }

  dispute(intentId: string, ...terms: Tail<typeof dispute>): string {
    const { ledger, intent } = this.accounts.withIntent(intentId);
    return dispute(ledger, intent, ...terms);
  }

  moveDispute(accountId: string, ...moved: Tail1<typeof moveDispute>): void {
    moveDispute(this.accounts.of(accountId).ledger, ...moved);
  }

  /** In the order they came about. */
  events(accountId: string): readonly StripeEvent[] {
    const { ledger } = this.accounts.of(accountId);
    expireDue(ledger);
    return structuredClone(ledger.events);
  }

  /** A call to a webhook: the body as Stripe writes it, signed over its very bytes. */
  hookCall(event: object, secret: string, { timestamp = Math.floor(this.now() / 1000) } = {}) {
    const body = JSON.stringify(event, null, 2);
    const terms = { payload: body, secret, timestamp };
    const headers: Record<string, string> = {
      "content-type": "application/json; charset=utf-8",
      "stripe-signature": Stripe.webhooks.generateTestHeaderString(terms),
      "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
    };
    return { body, headers };
  }
}
