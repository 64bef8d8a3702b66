import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { ManualClock } from "../../src/infra/clock.ts";
import { createLog } from "../../src/infra/log/log.ts";
import { backup } from "../../src/maintenance/backup.ts";
import { exportDays } from "../audit/exporting.ts";
import {
  cleanUp,
  freshEnvironment,
  NOON,
  startServer,
  type TestServer,
  TIER_DATABASES,
  temporaryFolder,
} from "../harness.ts";
import { StripeSimulator } from "../stripe/simulator.ts";
import { stripeSelling, WEBHOOK_SECRET } from "./stripe-shop.ts";

describe.each(TIER_DATABASES)("a Stripe account, on %s,", (dialect) => {
  const clock = new ManualClock(NOON);
  const lines: string[] = [];
  let env: Record<string, string>;
  let server: TestServer;
  let stripe: StripeSimulator;
  let at: ReturnType<typeof stripeSelling>;
  beforeAll(async () => {
    stripe = await StripeSimulator.start({ now: () => clock.now() });
    env = { ...(await freshEnvironment(dialect)), GATEHOUSE_STRIPE_API_BASE: stripe.url };
    const log = createLog("debug", (line) => lines.push(line));
    server = await startServer(env, { clock, log });
    at = stripeSelling(server, stripe);
    return async () => {
      await cleanUp();
      await stripe.stop();
    };
  });

  test("is connected with a report of what its key can do, and shown without a secret", async () => {
    const shop = await at.shop();
    const account = stripe.openAccount({ restricted: true, lacks: ["refunds_read"] });
    const { status, body } = await at.connect(shop, {
      secret_key: account.key,
      webhook_secret: WEBHOOK_SECRET,
    });
    expect([status, body.kind, body.live]).toEqual([200, "stripe", false]);
    const able = Object.fromEntries(
      body.abilities.map(({ name, allowed }: { name: string; allowed: boolean }) => [
        name,
        allowed,
      ]),
    );
    expect(able).toEqual({
      payments_read: true,
      payments_write: true,
      charges_read: true,
      refunds_read: false,
      refunds_write: true,
      disputes_read: true,
      checkout_write: true,
    });
    // Nothing was made to find that out.
    expect([stripe.intents(account.id), stripe.sessions(account.id)]).toEqual([[], []]);
    const shown = (await shop.admin("GET", "/processor")).body;
    expect(shown.stripe).toMatchObject({
      account: account.id,
      webhook_secret_set: true,
      approval_secret_set: false,
      events_url: `${server.context.config.baseUrl}/v1/hooks/stripe/${shop.site_key_hash}/events`,
    });
    expect(JSON.stringify([body, shown])).not.toContain(account.key);
    expect(JSON.stringify([body, shown])).not.toContain(WEBHOOK_SECRET);
    const asked = await shop.admin("POST", "/processor/test", {});
    expect(asked.body).toMatchObject({ live: false, restricted: true, abilities: body.abilities });
  });

  test("is connected without the right to open payment pages, and the report says so", async () => {
    const { key } = stripe.openAccount({ restricted: true, lacks: ["checkout_sessions_write"] });
    const { status, body } = await at.connect(await at.shop(), { secret_key: key });
    expect([status, body.kind]).toEqual([200, "stripe"]);
    expect(body.abilities).toContainEqual({
      name: "checkout_write",
      allowed: false,
      required: false,
      purpose: "Checkout Sessions, write: to open payment pages for people",
    });
  });

  test.each([
    [
      "a key that is not Stripe's",
      { secret_key: "pk_test_0123456789" },
      /secret or restricted key/,
    ],
    ["an unknown key", { secret_key: "rk_test_0123456789abc" }, /is unknown to Stripe/],
    [
      "a live key for the simulator",
      { secret_key: "sk_live_0123456789" },
      /cannot be used with a simulator/,
    ],
    ["no key at all", {}, /the key of the Stripe account is required/],
  ])("is refused with %s", async (_what, settings, message) => {
    const shop = await at.shop();
    const { status, body } = await at.connect(shop, settings);
    expect([status, body.error]).toEqual([400, "invalid_request"]);
    expect(body.message).toMatch(message);
    expect((await shop.admin("GET", "/processor")).body.kind).toBe("sandbox");
  });

  test("is refused with a key that cannot authorize, a publishable key of the other mode, or a wrong secret", async () => {
    const shop = await at.shop();
    const weak = stripe.openAccount({ restricted: true, lacks: ["payment_intents_write"] });
    const strong = stripe.openAccount();
    const refused = [
      await at.connect(shop, { secret_key: weak.key }),
      await at.connect(shop, { secret_key: strong.key, publishable_key: "pk_live_0123456789" }),
      await at.connect(shop, { secret_key: strong.key, webhook_secret: "hush" }),
    ];
    expect(refused.map(({ status }) => status)).toEqual([400, 400, 400]);
    expect(refused[0]?.body.message).toMatch(/Payment Intents, write/);
    expect((await shop.admin("GET", "/processor")).body.kind).toBe("sandbox");
  });

  test("keeps its orders with another key of the same account, and can be replaced by another account", async () => {
    const { shop, account } = await at.stripeShop();
    const accounts = () =>
      server.context.db.all<{ external_id: string; ended_at: number | null; sealed_key: string }>(
        "SELECT * FROM processor_accounts WHERE site_key_hash = ? ORDER BY connected_at, account_id",
        shop.site_key_hash,
      );
    const [before] = await accounts();
    await at.connect(shop, { secret_key: stripe.rotateKey(account) });
    const [after, none] = await accounts();
    expect([after?.external_id, none]).toEqual([account.id, undefined]);
    expect(after?.sealed_key).not.toBe(before?.sealed_key);
    clock.advance(1000);
    const other = stripe.openAccount();
    await at.connect(shop, { secret_key: other.key });
    const ended = (await accounts()).map(({ ended_at }) => ended_at !== null);
    expect(ended).toEqual([true, false]);
    // The hook's secret was of the other account.
    expect((await shop.admin("GET", "/processor")).body.stripe.webhook_secret_set).toBe(false);
  });

  test("leaves no secret and no token in clear text in the database, log, export, backup or answers", async () => {
    const { shop, account, buyer } = await at.stripeShop();
    await at.order(shop, buyer, { token: "pm_card_visa" });
    stripe.fault = ({ path }) => (path === "/v1/payment_intents" ? "drop_before" : undefined);
    await at.order(shop, buyer, { token: "pm_card_mastercard" });
    stripe.fault = () => undefined;
    const { db } = server.context;
    const tables = [
      "payments",
      "processor_accounts",
      "decisions",
      "reviews",
      "orders",
      "outbox",
      "audit_records",
      "sites",
      "processor_events",
    ];
    const parts = await exportDays(server, shop.site_key_hash);
    const file = join(temporaryFolder(), "all.backup");
    await backup(env, { out: file });
    const found = [
      lines.join("\n"),
      gunzipSync(readFileSync(file)).toString("latin1"),
      ...parts.map(({ text }) => text),
    ];
    expect(found[1]).toContain(account.id);
    for (const table of tables) found.push(JSON.stringify(await db.all(`SELECT * FROM ${table}`)));
    if (dialect === "sqlite") {
      for (const file of ["gatehouse.db", "gatehouse.db-wal"]) {
        found.push(readFileSync(join(env.GATEHOUSE_DATA_DIR as string, file), "latin1"));
      }
    }
    for (const text of found) {
      for (const secret of [account.key, WEBHOOK_SECRET, "pm_card_visa", "pm_card_mastercard"]) {
        expect(text.includes(secret)).toBe(false);
      }
    }
  });
});
