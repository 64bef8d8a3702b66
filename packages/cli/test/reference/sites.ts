import { expect } from "vitest";
import { PNG } from "../../../server/test/pictures/sample-pictures.ts";
import { type Coverage, noService, noSite } from "./covered.ts";

let made = 0;
const newDomain = () => `new-${++made}.example.com`;

/** `site`: taken on, looked at, verified and given up. */
export const sites: Coverage = {
  "site list": {
    args: () => [],
    says: /^DOMAIN +NAME +STATUS +SITE_KEY\n[\s\S]*^shop-\d+\.example\.com .* verified +us_/m,
    json: { items: expect.arrayContaining([expect.objectContaining({ status: "verified" })]) },
    fails: noService(() => []),
  },
  "site show": {
    args: ({ shop }) => [shop],
    says: /^name +\S+\n[\s\S]*^status +verified \(operator\)$[\s\S]*^card +http/m,
    json: { status: "verified", verification: { method: "operator" } },
    fails: noSite(),
  },
  "site create": {
    args: () => [newDomain(), "--name", "New"],
    says: /^name +New\n[\s\S]*then run: gatehouse site verify new-\d+\.example\.com --method dns/,
    json: { name: "New", status: "pending" },
    fails: {
      args: ({ shop }) => [shop, "--name", "Again"],
      code: 1,
      says: /^There is already a site for \S+: us_/,
      next: /use --again\./,
    },
  },
  "site change": {
    args: async ({ site }) => [await site(), "--name", "Renamed", "--audit-public", "hourly"],
    says: /^name +Renamed$/m,
    json: { name: "Renamed", audit_public: "hourly" },
    fails: {
      args: ({ shop }) => [shop],
      code: 2,
      says: /^There is nothing to change\.$/m,
      next: /Use --domain, --name, /,
    },
  },
  "site picture": {
    args: ({ shop, file }) => [shop, file("png", PNG)],
    says: /^shop-\d+\.example\.com has a new picture: \S+\/v1\/pictures\/\S+$/m,
    json: { picture_url: expect.stringContaining("/v1/pictures/") },
    fails: {
      args: ({ shop }) => [shop],
      code: 2,
      says: /^Use either a file or --remove\.$/m,
      next: /Name a file to upload, or use --remove\./,
    },
  },
  "site delete": {
    args: async ({ site }) => [await site(), "--yes"],
    says: /^Deleted site-\d+\.example\.com\.$/m,
    json: { domain: expect.stringMatching(/^site-\d+\.example\.com$/), deleted: true },
    fails: {
      args: ({ shop }) => [shop],
      code: 2,
      says: /^Required option '--yes' not specified\.$/m,
      next: /`gatehouse site delete --help` shows the options\./,
    },
  },
  "site preview": {
    args: ({ shop }) => [shop],
    says: /^DOCUMENT +BYTES +URL\ncard +\d+ +http/,
    json: { documents: expect.arrayContaining([expect.objectContaining({ name: "llms" })]) },
    fails: {
      args: ({ shop }) => [shop, "--document", "poem"],
      code: 2,
      says: /^There is no document poem\.$/m,
      next: /The documents are: card, catalog, /,
    },
  },
  "site check": {
    args: ({ home }) => [home],
    says: /^– domain +Confirmed by the operator, not checked\.[\s\S]*^✓ home page +http:\/\/\S+ answers$/m,
    json: {
      findings: expect.arrayContaining([
        expect.objectContaining({ item: "domain", state: "missing" }),
      ]),
    },
    fails: {
      args: ({ shop }) => [shop, "--origin", "http://127.0.0.1:2"],
      code: 1,
      says: /^\d+ of \d+ checks failed\.$/m,
      next: /Fix the lines marked ✗, then check again\./,
    },
  },
  "site verify": {
    args: async ({ site }) => [await site(), "--method", "operator", "--reason", "I know them"],
    says: /^status +verified \(operator\)\nreason +I know them$/m,
    json: { status: "verified", verification: { reason: "I know them" } },
    fails: {
      args: ({ shop }) => [shop, "--method", "magic"],
      code: 2,
      says: /^--method: magic is not valid\.$/m,
      next: /Use one of: dns, file, meta, operator\./,
    },
  },
  "skill list": {
    args: ({ shop }) => [shop],
    says: /^ID +STATE +TITLE +URL\nget_pricing +live /,
    json: { live: expect.arrayContaining(["get_pricing", "place_order"]) },
    fails: noSite(),
  },
  "skill set": {
    args: async ({ site }) => [await site(), "get_pricing", "--url", "https://shop.example.com/p"],
    says: /^get_pricing +live +.* https:\/\/shop\.example\.com\/p$/m,
    json: { skills: [{ id: "get_pricing", enabled: true }], live: ["get_pricing"] },
    fails: {
      args: ({ shop }) => [shop, "get_prices"],
      code: 2,
      says: /^get_prices is not built in, so it needs a --title\.$/m,
      next: /Built-in skills: /,
    },
  },
  "skill enable": {
    args: ({ shop }) => [shop, "get_pricing"],
    says: /^get_pricing +live /m,
    json: { live: expect.arrayContaining(["get_pricing"]) },
    fails: {
      args: ({ shop }) => [shop, "sign_up"],
      code: 1,
      says: /^The site has no skill sign_up\.$/m,
      next: /`gatehouse skill list <site>` lists the skills\./,
    },
  },
  "skill disable": {
    args: async ({ site, run }) => {
      const domain = await site();
      await run("skill", "set", domain, "get_pricing", "--url", "https://shop.example.com/p");
      return [domain, "get_pricing"];
    },
    says: /^get_pricing +off /m,
    json: { skills: [{ id: "get_pricing", enabled: false }], live: [] },
    fails: noSite("get_pricing"),
  },
  "skill remove": {
    args: async ({ site, run }) => {
      const domain = await site();
      await run("skill", "set", domain, "get_pricing", "--url", "https://shop.example.com/p");
      return [domain, "get_pricing"];
    },
    says: /^No skills yet\. Add one: gatehouse skill set/,
    json: { skills: [] },
    fails: {
      args: ({ shop }) => [shop, "sign_up"],
      code: 1,
      says: /^The site has no skill sign_up\.$/m,
      next: /`gatehouse skill list <site>` lists the skills\./,
    },
  },
  "skill move": {
    args: async ({ site, run }) => {
      const domain = await site();
      for (const id of ["get_pricing", "sign_up"]) {
        await run("skill", "set", domain, id, "--url", "https://shop.example.com/p");
      }
      return [domain, "sign_up", "--to", "1"];
    },
    says: /^sign_up .*\nget_pricing /m,
    json: { skills: [{ id: "sign_up" }, { id: "get_pricing" }] },
    fails: {
      args: ({ shop }) => [shop, "get_pricing", "--to", "top"],
      code: 2,
      says: /^--to: top is not valid\.$/m,
      next: /Use its position in the list, 1 for the first\./,
    },
  },
  "visit list": {
    args: ({ shop }) => [shop],
    says: /^OBSERVED_AT +CLASSIFICATION +AGENT .*\n\S+Z +declared_agent +GPTBot \(OpenAI\)/,
    json: { items: [{ classification: "declared_agent", agent: { name: "GPTBot" } }] },
    fails: {
      args: ({ shop }) => [shop, "--from", "2030-05-18", "--to", "2030-05-17"],
      code: 2,
      says: /^--from must be before --to\.$/m,
      next: /Swap them/,
    },
  },
  "visit count": {
    args: ({ shop }) => [shop],
    says: /^DAY +VISITS .*\n\d{4}-\d\d-\d\d +1 .* GPTBot 1$/m,
    json: { items: [{ visits: 1, by_agent: { GPTBot: 1 } }], cut: false },
    fails: {
      args: ({ shop }) => [shop, "--by", "week"],
      code: 2,
      says: /^--by: week is not valid\.$/m,
      next: /Use one of: hour, day\./,
    },
  },
};
