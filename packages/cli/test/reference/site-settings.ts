import { expect } from "vitest";
import { type Coverage, noSite } from "./covered.ts";

/** `site`: how it sells, takes mandates and tells its owner. */
export const siteSettings: Coverage = {
  "site connect": {
    args: async ({ site }) => [await site(), "--processor", "sandbox"],
    says: /^Payment provider: sandbox \(test mode, no real money\)\.\n[\s\S]*^✓ payments by agents +ready$/m,
    json: { kind: "sandbox", can_buy: false },
    fails: {
      args: ({ shop }) => [shop, "--processor", "stripe", "--secret-key-file", "none.key"],
      code: 1,
      says: /^none\.key cannot be read: it does not exist\.$/m,
      next: /Use a file that contains only the secret/,
    },
  },
  "site disconnect": {
    args: async ({ site, run }) => {
      const domain = await site();
      await run("site", "connect", domain, "--processor", "sandbox");
      return [domain];
    },
    says: /^No payment provider is connected\.\n[\s\S]*Run: gatehouse site connect/,
    json: { kind: null, can_buy: false },
    fails: noSite(),
  },
  "site test-processor": {
    args: async ({ site, run, file, stripeKey }) => {
      const domain = await site();
      await run("site", "connect", domain, "--secret-key-file", file("key", stripeKey()));
      return [domain];
    },
    says: /^This is a test key: payments move no real money\.\n✓ /,
    json: { live: false, abilities: expect.arrayContaining([expect.any(Object)]) },
    fails: {
      args: ({ shop }) => [shop],
      code: 1,
      says: /^No Stripe account is connected\./,
      next: /See http:\S+\/docs\/errors\/\S+\.md/,
    },
  },
  "site gates": {
    args: ({ shop }) => [shop],
    says: /^✓ domain +ready$[\s\S]*^Agents can buy\.$/m,
    json: { can_buy: true, can_check_out: true },
    fails: noSite(),
  },
  "site mandates": {
    args: ({ shop }) => [shop, "--lifetime", "15m"],
    says: /^mandates +on\nlifetime +15m\nadmit +none$/m,
    json: { enabled: true, lifetime_seconds: 900 },
    fails: {
      args: ({ shop }) => [shop, "--on", "--off"],
      code: 2,
      says: /^--on and --off cannot be used together\.$/m,
      next: /Use one of them\./,
    },
  },
  "site declines": {
    args: ({ shop }) => [shop],
    says: /^\d+ of \d+ payments were declined in the last 10 minutes\.\nNobody has to wait\.$/m,
    json: { window_seconds: 600, waiting: [] },
    fails: noSite(),
  },
  "site pause": {
    args: async ({ site }) => [await site()],
    says: /^Sales of \S+ are paused\. .* gatehouse site resume \S+$/m,
    json: { paused_at: expect.any(String) },
    fails: noSite(),
  },
  "site resume": {
    args: async ({ site, run }) => {
      const domain = await site();
      await run("site", "pause", domain);
      return [domain];
    },
    says: /^Sales of \S+ are resumed\.$/m,
    json: { paused_at: null },
    fails: noSite(),
  },
  "site platforms": {
    args: ({ shop }) => [shop, "--spend-per-day", "EUR=700.00", "--purchases-per-hour", "40"],
    says: /^Any platform can pay here \(the default\)\.\n.* share these limits:\nspend in 24 hours +700\.00 EUR; about .*\npurchases in an hour +40$/m,
    json: { platforms: "any", pool: { spend_per_day: { EUR: "700.00" }, purchases_per_hour: 40 } },
    fails: {
      args: ({ shop }) => [shop, "--accept", "some"],
      code: 2,
      says: /^--accept: some is not valid\.$/m,
      next: /Use one of: any, admitted\./,
    },
  },
  "site shop": {
    args: ({ shop }) => [shop],
    says: /^ships to +nowhere: nothing is shipped\ntaxes +none added$/m,
    json: { shipping: [], taxes: [] },
    fails: {
      args: ({ shop, file }) => [shop, "--file", file("json", "{")],
      code: 1,
      says: /^\S+\.json is not strict JSON: /m,
      next: /Start from the current settings: gatehouse site shop/,
    },
  },
  "site notify": {
    args: ({ shop }) => [shop, "--test"],
    says: /^webhook +http\S+\nemail +none\nquestions +on\nhttp\S+: The message was delivered\.$/m,
    json: { emails: [], results: [{ delivered: true }] },
    fails: {
      args: ({ shop }) => [shop, "--webhook", "https://10.0.0.1/"],
      code: 1,
      says: /is an IP address/,
      next: /See http:\S+\/docs\/errors\/\S+\.md/,
    },
  },
  "site messages": {
    args: async ({ shop, review }) => {
      await review();
      return [shop];
    },
    says: /^CREATED_AT +MESSAGE_ID +TOPIC .*\n\S+Z +msg_\S+ +review\.requested /,
    json: {
      items: expect.arrayContaining([expect.objectContaining({ topic: "review.requested" })]),
    },
    fails: {
      args: ({ shop }) => [shop, "--resend", "msg_none"],
      code: 1,
      says: /^There is no such message\.$/m,
      next: /`gatehouse site messages \S+` lists the sent messages\./,
    },
  },
};
