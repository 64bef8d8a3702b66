import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import {
  cleanUp,
  freshEnvironment,
  startServer,
  temporaryFolder,
} from "../../server/test/harness.ts";
import { StripeSimulator } from "../../server/test/stripe/simulator.ts";
import { command } from "./command.ts";

const SHOP = "shop.example.com";
let stripe: StripeSimulator;
let env: Record<string, string>;
let folder = "";
const run = (...args: string[]) => command(args, env);
const secret = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, `${text}\n`);
  return path;
};

beforeAll(async () => {
  stripe = await StripeSimulator.start();
  const base = {
    ...(await freshEnvironment("sqlite")),
    GATEHOUSE_STRIPE_API_BASE: stripe.url,
  };
  const server = await startServer(base);
  env = { ...base, GATEHOUSE_BASE_URL: server.url };
  folder = temporaryFolder({ ofSender: true });
  await run("site", "create", SHOP, "--name", "Shop");
  return async () => {
    await cleanUp();
    await stripe.stop();
  };
});

test("an owner connects Stripe with files, and sees what the key can do and where Stripe must send events", async () => {
  const { key } = stripe.openAccount({ restricted: true, lacks: ["disputes_read"] });
  const file = secret("key", key);
  const connected = await run("site", "connect", SHOP, "--secret-key-file", file);
  expect(connected.out).toContain(
    "✓ Payment Intents, write: to authorize, capture and void payments\n",
  );
  expect(connected.out).toContain("– Disputes, read: to show disputes (missing)\n");
  expect(connected.out).toContain("Payment provider: stripe (test mode, no real money).\n");
  expect(connected.out).toMatch(
    /^Account acct_\w+\. Let Stripe send events to http:\S+\/v1\/hooks\/stripe\/\S+\/events, and set/m,
  );
  expect(connected.out + connected.err).not.toContain(key);
  const tested = await run("site", "test-processor", SHOP);
  expect(tested.out).toMatch(/^This is a test key: payments move no real money\.\n✓ /);
});

test("a later setting leaves the payment provider and its key unchanged", async () => {
  const hook = secret("hook", "whsec_0123456789abcdef");
  const set = await run("site", "connect", SHOP, "--webhook-secret-file", hook, "--json");
  const { kind, stripe: account } = JSON.parse(set.out);
  expect([kind, account.webhook_secret_set]).toEqual(["stripe", true]);
  const rail = JSON.parse((await run("site", "connect", SHOP, "--no-rail", "--json")).out);
  expect([rail.kind, rail.rail_on, rail.stripe.webhook_secret_set]).toEqual([
    "stripe",
    false,
    true,
  ]);
});

test("a file that contains no Stripe key gets an error in a full sentence", async () => {
  const connect = (file: string) => run("site", "connect", SHOP, "--secret-key-file", file);
  const missing = await connect(join(folder, "none"));
  expect([missing.code, missing.err]).toEqual([
    1,
    expect.stringMatching(/none cannot be read: it does not exist\./),
  ]);
  const itself = await connect("rk_test_0123456789abc");
  expect([itself.code, itself.err]).toEqual([
    2,
    expect.stringMatching(/\nUse a file that contains the secret/),
  ]);
  const two = await connect(secret("two", "one two"));
  expect([two.code, two.err]).toEqual([2, expect.stringMatching(/does not contain a secret/)]);
  const unknown = await connect(secret("unknown", "rk_test_0123456789abc"));
  expect(unknown.err).toMatch(/the key is unknown to Stripe or was revoked\./);
  expect(unknown.code).not.toBe(0);
});
