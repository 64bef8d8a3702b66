import { expect } from "vitest";
import { ORDER_POLICY } from "../../../server/test/selling/selling.ts";
import { type Coverage, noSite } from "./covered.ts";

const POLICY = JSON.stringify(ORDER_POLICY);
const MISSPELT = POLICY.replace('"effect"', '"efect"');

/** `policy`: the rules mandates are decided by. */
export const policies: Coverage = {
  "policy preset": {
    args: () => ["automatic_under", "--limit", "50.00", "--currency", "EUR"],
    says: /^\{\n {2}"policy": "rules\/1"/,
    json: { policy: "rules/1", timezone: "UTC", default: "deny" },
    fails: {
      args: () => ["automatic_under"],
      code: 2,
      says: /^automatic_under needs --limit and --currency\.$/m,
      next: /For example: --limit 50\.00 --currency EUR/,
    },
  },
  "policy check": {
    args: ({ file }) => [file("json", POLICY)],
    says: /^The policy can be published: 3 rules\.$/m,
    json: { findings: expect.any(Array) },
    fails: {
      args: ({ file }) => [file("json", MISSPELT)],
      code: 1,
      says: /^The rule “skills”, rules\[0\]/,
      next: /Fix \S+\.json, then check again\./,
    },
  },
  "policy test": {
    args: async ({ shop, file, order }) => {
      await order();
      return [shop, file("json", POLICY)];
    },
    says: /^None of \d+ decisions? would change\.$/m,
    json: { tested: expect.any(Number), changed: [] },
    fails: {
      args: ({ shop, file }) => [shop, file("json", POLICY), "--last", "0"],
      code: 2,
      says: /^--last: 0 is not valid\.$/m,
      next: /Use a number from 1 to 1000\./,
    },
  },
  "policy publish": {
    args: async ({ site, file }) => [await site(), file("json", POLICY)],
    says: /^Version 1 is now in force for site-\d+\.example\.com\.$/m,
    json: { version: 1, findings: expect.any(Array) },
    fails: {
      args: ({ shop, fresh }) => [shop, fresh("json")],
      code: 1,
      says: /^\S+\.json cannot be read\.$/m,
      next: /Create it from a preset: gatehouse policy preset ask_always > /,
    },
  },
  "policy show": {
    args: ({ shop }) => [shop],
    says: /^\{\n {2}"policy": "rules\/1"/,
    json: { rules: [{ id: "skills" }, { id: "ask-above" }, { id: "never-above" }] },
    fails: {
      args: ({ shop }) => [shop, "--version", "9"],
      code: 1,
      says: /^There is no version 9\.$/m,
      next: /`gatehouse policy history \S+` lists the versions\./,
    },
  },
  "policy history": {
    args: ({ shop }) => [shop],
    says: /^VERSION +PUBLISHED_AT +DIGEST\n1 +\S+Z +\S+$/m,
    json: { items: [{ version: 1 }] },
    fails: noSite(),
  },
};
