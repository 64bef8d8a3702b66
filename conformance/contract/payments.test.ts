/** What a processor is asked, and when. It is a simulated Stripe, so the test runs its own service. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generateAgentKey, mandateFor, openAgentKey, sign } from "@gatehouse/agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StripeSimulator } from "../../packages/server/test/stripe/simulator.ts";
import { type ServingGatehouse, serve } from "../../test/gatehouse-process.ts";
import { type Answer, ask, askAsOperator, newSite, verifyDomain } from "./asking.ts";

const someoneElses = process.env.GATEHOUSE_TARGET !== undefined;
const adminToken = "conformance-operator-token-0123456789";
const APPROVAL_SECRET = "whsec_conformance0123456789";
const folder = mkdtempSync(join(process.env.TEST_FOLDER ?? tmpdir(), "gatehouse-payments-"));
const JSON_BODY = { "content-type": "application/json" };

const above = (gt: string) => ({ "cart.total": { gt: { EUR: gt } } });
const POLICY = {
  policy: "rules/1",
  timezone: "UTC",
  default: "deny",
  rules: [
    { id: "sell", effect: "allow", when: { skill: { in: ["place_order", "complete_checkout"] } } },
    { id: "ask", effect: "escalate", when: above("100.00") },
    { id: "never", effect: "deny", when: above("1000.00") },
  ],
};
const PRODUCTS = [
  { id: "rose", title: "A rose", price: "10.00", currency: "EUR" },
  { id: "palm", title: "A palm", price: "500.00", currency: "EUR" },
  { id: "oak", title: "An oak", price: "5000.00", currency: "EUR" },
];

let service: ServingGatehouse;
let stripe: StripeSimulator;
let account: ReturnType<StripeSimulator["openAccount"]>;
let buy: (id: string, total: string) => Promise<Answer>;
let approve: (amount_total: number, secret?: string) => Promise<Answer>;
let orders: () => Promise<readonly { readonly payment: string }[]>;

beforeAll(async () => {
  if (someoneElses) return;
  stripe = await StripeSimulator.start();
  account = stripe.openAccount({ restricted: true });
  service = await serve({
    GATEHOUSE_MODE: "development",
    GATEHOUSE_LOG: "silent",
    GATEHOUSE_DATA_DIR: folder,
    GATEHOUSE_ADMIN_TOKEN: adminToken,
    GATEHOUSE_STRIPE_API_BASE: stripe.url,
  });
  const at = { url: service.url, adminToken };
  const { site } = await newSite({}, at);
  await verifyDomain(site, at);
  const admin = (method: string, path: string, body?: unknown) =>
    askAsOperator(method, `/v1/admin/sites/${site.site_key_hash}${path}`, body, at);
  await admin("PUT", "/skills", { skills: [{ id: "place_order", enabled: true }] });
  await admin("PUT", "/policy", POLICY);
  await admin("PUT", "/processor", {
    kind: "stripe",
    rail_on: true,
    settles: true,
    secret_key: account.key,
    approval_secret: APPROVAL_SECRET,
  });
  await admin("PUT", "/products", { products: PRODUCTS });
  const key = await openAgentKey(await generateAgentKey());
  const agentId = (await admin("POST", "/agents", { name: "Agent", jwk: key.jwk })).body.agent_id;
  const mandateUrl = `${service.url}/v1/m/${site.site_key}/mandate`;
  const shop = { siteKey: site.site_key, mandateUrl };
  buy = async (id, total) => {
    const order = {
      skill: "place_order",
      arguments: { items: [{ id, quantity: 1 }] },
      payment: { handler: "stripe", token: "pm_card_visa" },
      cart: { total, currency: "EUR" },
    };
    const body = JSON.stringify(await sign(mandateFor(shop, agentId, order), key));
    return ask("POST", mandateUrl, { headers: JSON_BODY, body });
  };
  approve = (amount_total, secret = APPROVAL_SECRET) => {
    const type = "v1.delegated_checkout.finalize_checkout";
    const data = { amount_total, currency: "eur", line_items_details: [] };
    const call = { id: `dc_${amount_total}`, type, livemode: false, data };
    const url = `${service.url}/v1/hooks/stripe/${site.site_key_hash}/order-approval`;
    return ask("POST", url, stripe.hookCall(call, secret));
  };
  orders = async () => (await admin("GET", "/orders")).body.items;
});
afterAll(async () => {
  await service?.stop();
  await stripe?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const charges = () =>
  stripe.calls.filter(({ method, path }) => method === "POST" && path === "/v1/payment_intents");

describe.skipIf(someoneElses)("the site's payment provider", () => {
  test("[1.4-e] is asked to charge only after an approval", async () => {
    const before = charges().length;
    expect((await buy("palm", "500.00")).body.outcome).toBe("escalated");
    expect((await buy("oak", "5000.00")).body.outcome).toBe("rejected");
    expect((await buy("rose", "1.00")).body.outcome).toBe("rejected");
    expect(charges()).toHaveLength(before);
    expect((await buy("rose", "10.00")).body.outcome).toBe("approved");
    expect(charges()).toHaveLength(before + 1);
  });

  test("[4.1.10-b] has authorized the payment when the outcome is approved", async () => {
    const before = stripe.intents(account.id).length;
    const answer = await buy("rose", "10.00");
    expect([answer.status, answer.body.outcome]).toEqual([200, "approved"]);
    const [newest, ...others] = stripe.intents(account.id);
    expect(others).toHaveLength(before);
    expect(newest).toMatchObject({ amount: 1000, currency: "eur", status: "requires_capture" });
  });

  test("[1.4-g] is never asked to move money: nothing is captured, refunded or paid out", async () => {
    expect((await buy("rose", "10.00")).body.outcome).toBe("approved");
    const held = stripe.intents(account.id);
    expect(held.every(({ amount_received }) => amount_received === 0)).toBe(true);
    expect((await orders()).every(({ payment }) => payment === "authorized")).toBe(true);
    const changing = stripe.calls.filter(({ method }) => method === "POST");
    const wanted = /^\/v1\/(payment_methods|payment_intents(\/\w+\/cancel)?)$/;
    // Whether a key may open payment pages and refund is asked with an empty request, which does neither.
    const probes = changing.filter(({ path }) => /^\/v1\/(checkout\/sessions|refunds)$/.test(path));
    expect(probes.every(({ status }) => status === 400)).toBe(true);
    const refunds = probes.filter(({ path }) => path === "/v1/refunds");
    expect(refunds.every(({ params }) => Object.keys(params).length === 0)).toBe(true);
    const others = changing.filter((call) => !probes.includes(call));
    expect(others.filter(({ path }) => !wanted.test(path))).toEqual([]);
    const asked = charges().filter(({ status }) => status === 200);
    expect(asked.every(({ params }) => params.capture_method === "manual")).toBe(true);
  });

  test("[4-r] can ask whether to approve an order of its agentic checkout", async () => {
    const said = async (amount: number) =>
      (await approve(amount)).body.manual_approval_details.type;
    expect(await said(1000)).toBe("approved");
    expect(await said(50_000)).toBe("declined");
    expect((await approve(2000, "whsec_of_a_stranger0123")).status).toBe(400);
  });
});
