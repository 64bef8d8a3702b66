import { beforeAll, describe, expect, test } from "vitest";
import { syncPaymentOfAttempt } from "../../src/purchase/reconcile.ts";
import {
  cleanUp,
  freshEnvironment,
  startServer,
  type TestServer,
  TIER_DATABASES,
} from "../harness.ts";
import type { Buyer, Shop } from "../mandates/submitting.ts";
import { selling } from "../selling/selling.ts";
import { InvoiceProvider } from "./invoice-provider.ts";

const ON_ACCOUNT = { handler: "invoice", token: "customer-17" };

describe.each(TIER_DATABASES)("a payment provider that is only registered, on %s:", (dialect) => {
  const invoice = new InvoiceProvider();
  let server: TestServer;
  let at: ReturnType<typeof selling>;
  let shop: Shop;
  let buyer: Buyer;
  beforeAll(async () => {
    const providers = { invoice };
    server = await startServer(await freshEnvironment(dialect), { providers });
    at = selling(server);
    shop = await at.shop();
    buyer = await at.buyer(shop);
    return cleanUp;
  });

  test("is refused for a site that is paid through another one", async () => {
    const { body } = await at.order(shop, buyer, ON_ACCOUNT);
    expect([body.outcome, body.reason]).toEqual(["rejected", "cart_invalid"]);
    expect(invoice.invoices.size).toBe(0);
  });

  test("can be connected to a site, authorizes an order, and captures it by hand", async () => {
    const connected = await shop.admin("PUT", "/processor", {
      kind: "invoice",
      rail_on: true,
      settles: true,
    });
    expect(connected.body).toMatchObject({ kind: "invoice", live: false, sells: true });
    const { body } = await at.order(shop, buyer, ON_ACCOUNT);
    expect(body.outcome).toBe("approved");
    const [order] = await at.orders(shop);
    expect(order.payment).toBe("authorized");
    const [reference, issued] = [...invoice.invoices][0] as [string, { customer: string }];
    expect(issued).toMatchObject({ customer: "customer-17", amount: { minor: 10_000 } });
    invoice.markPaid(reference);
    await syncPaymentOfAttempt(server.context, order.attempt_id);
    const [captured] = await at.orders(shop);
    expect([captured.payment, captured.captured_minor]).toEqual(["captured", 10_000]);
    const [record] = await at.records(shop, "order.adjustment");
    expect(record.record).toMatchObject({
      processor: "invoice",
      adjustment: { kind: "captured" },
    });
  });
});

test("a provider that is not registered is refused before anything is looked up", async () => {
  const server = await startServer(await freshEnvironment("sqlite"));
  const at = selling(server);
  const { shop, buyer } = await at.shopAndBuyer();
  const { body } = await at.order(shop, buyer, ON_ACCOUNT);
  expect([body.reason, body.message]).toEqual([
    "schema_invalid",
    "`payment.handler` must be stripe or sandbox.",
  ]);
  await cleanUp();
});
