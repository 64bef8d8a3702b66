import { EventEmitter, once } from "node:events";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import type { Attempt, PaymentProvider, ProviderAnswer } from "../../src/payments/provider.ts";
import { reconcilePayments } from "../../src/purchase/reconcile.ts";
import { findingsOfSite } from "../audit/exporting.ts";
import { cleanUp, DATABASES, NOON } from "../harness.ts";
import { expectBooksAgree } from "./books.ts";
import { type Market, openMarket } from "./selling.ts";

const HOUR_MS = 3_600_000;

describe.each(DATABASES)("a payment attempt without an answer, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  let { server, at, shop, buyer } = {} as Market;
  beforeAll(async () => {
    ({ server, at } = await openMarket(dialect, clock));
    return cleanUp;
  });
  beforeEach(async () => {
    ({ shop, buyer } = await at.shopAndBuyer());
  });

  const reconcile = () => reconcilePayments(server.context, () => false);
  const silent = { outcome: "unknown", reason: "silent" } as const;

  /** Puts somebody before the processor who asks it for releases alone. */
  async function asking(
    {
      authorize,
      read,
      released = async () => undefined,
    }: Pick<PaymentProvider, "authorize" | "read"> & { released?: () => Promise<unknown> },
    act: (sandbox: PaymentProvider) => Promise<void>,
  ) {
    const sandbox = server.context.providers.sandbox as PaymentProvider;
    const voidAuthorization = async (attempt: Attempt) => {
      const done = await sandbox.voidAuthorization(attempt);
      await released();
      return done;
    };
    const silenced = { authorize, read, voidAuthorization, amountFault: () => undefined };
    Object.assign(server.context.providers, { sandbox: silenced });
    await act(sandbox).finally(() => Object.assign(server.context.providers, { sandbox }));
  }

  async function expectGivenUp(body: unknown) {
    const ended = await at.send(shop, body);
    expect([ended.status, ended.body.reason]).toEqual([403, "payment_declined"]);
    expect(await at.authorizations(shop)).toEqual([]);
    expect(await at.product(shop, "rose")).toMatchObject({ quantity: 50, reserved: 0 });
    expect(await at.orders(shop)).toEqual([]);
    await expectBooksAgree(server.context, shop, { rose: 50 });
    expect(await findingsOfSite(server, shop.site_key_hash)).toEqual([]);
  }

  test("is cancelled after 23 hours", async () => {
    const body = await at.signed(shop, buyer, { token: "pm_sandbox_timeout" });
    expect((await at.send(shop, body)).status).toBe(503);
    await asking({ authorize: async () => silent, read: async () => silent }, async () => {
      clock.advance(22 * HOUR_MS);
      await reconcile();
      expect((await at.send(shop, body)).status).toBe(503);
      clock.advance(2 * HOUR_MS);
      await reconcile();
    });
    await expectGivenUp(body);
  });

  test("stays open while its provider does not answer at all, and is cancelled when it does", async () => {
    const body = await at.signed(shop, buyer, { token: "pm_sandbox_timeout" });
    expect((await at.send(shop, body)).status).toBe(503);
    let heard = false;
    const read = async () => {
      if (!heard) throw new Error("no answer");
      return silent;
    };
    await asking({ authorize: async () => silent, read }, async () => {
      clock.advance(24 * HOUR_MS);
      await reconcile();
      expect((await at.send(shop, body)).status).toBe(503);
      heard = true;
      clock.advance(HOUR_MS);
      await reconcile();
    });
    await expectGivenUp(body);
  });

  test("stays cancelled, whatever a delayed process learns later", async () => {
    const body = await at.signed(shop, buyer, { token: "pm_sandbox_timeout" });
    expect((await at.send(shop, body)).status).toBe(503);
    const calls = new EventEmitter();
    const reads: ((said: ProviderAnswer) => void)[] = [];
    const authorize = () => {
      calls.emit("authorize");
      return new Promise<ProviderAnswer>(() => undefined);
    };
    const read = () =>
      new Promise<ProviderAnswer>((resolve) => {
        reads.push(resolve);
        calls.emit("read");
      });
    let slept: Promise<void> | undefined;
    let heard: ProviderAnswer | undefined;
    // Whoever slept writes down what it heard between the release and the record of it.
    const released = async () => {
      const tell = reads.shift();
      if (tell === undefined) return;
      tell(heard as ProviderAnswer);
      await slept;
    };
    await asking({ authorize, read, released }, async (sandbox) => {
      clock.advance(22 * HOUR_MS);
      const asked = once(calls, "authorize");
      slept = reconcile();
      await asked;
      const woke = once(calls, "read");
      clock.advance(2 * HOUR_MS);
      await woke;
      const other = once(calls, "read");
      const meanwhile = reconcile();
      await other;
      const [attempt] = await server.context.db.all<{ attempt_id: string }>(
        "SELECT attempt_id FROM payments WHERE site_key_hash = ?",
        shop.site_key_hash,
      );
      heard = await sandbox.read({
        idempotencyKey: attempt?.attempt_id ?? "",
        siteKeyHash: shop.site_key_hash,
      } as Attempt);
      expect(heard?.outcome).toBe("authorized");
      reads.pop()?.(silent);
      await meanwhile;
      await slept;
    });
    await expectGivenUp(body);
    // That it was authorized all the same is in the log, and that it was released.
    const records = await at.records(shop, "payment.outcome");
    const said = records.map(({ record }: { record: { payment: string; release?: string } }) => [
      record.payment,
      record.release,
    ]);
    expect(said.slice(0, 2)).toEqual([
      ["authorized", "done"],
      ["authorized", "requested"],
    ]);
  });
});
