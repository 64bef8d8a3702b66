import { expect } from "vitest";
import type { Coverage } from "./covered.ts";

/** `mandate`: what agents ask sites for. */
export const mandates: Coverage = {
  "mandate sign": {
    args: ({ asking }) => asking(),
    says: /^\{\n {2}"signed": \{/,
    json: { signed: { skill: "get_pricing" }, envelope: { alg: "EdDSA" } },
    fails: {
      args: ({ asking }) => asking("--total", "12.50"),
      code: 2,
      says: /^--total and --currency go together\.$/m,
      next: /Use both, for example: --total 12\.50 --currency EUR/,
    },
  },
  "mandate send": {
    args: ({ asking }) => asking(),
    says: /"outcome": "approved"/,
    json: { outcome: "approved" },
    fails: {
      args: ({ asking }) => asking("--skill", "contact_support"),
      code: 1,
      says: /^The mandate was not approved \(\d{3}\)\.$/m,
      next: /See http\S+\/docs\/errors\/\S+\.md/,
    },
  },
  "mandate explain": {
    args: async ({ sent, shop }) => [(await sent()).path, "--site", shop],
    says: /^signed bytes {2}service-mandate-v1\\0\{.*\nsha-256 +[0-9a-f]{64}\noutcome +approved\n/,
    json: {
      signed_bytes: expect.stringContaining("service-mandate-v1\0{"),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      decisions: [{ outcome: "approved", rule_id: "skills" }],
    },
    fails: {
      args: ({ file }) => [file("json", "{}")],
      code: 1,
      says: /^\S+\.json is not a mandate\.$/m,
      next: /Use a file from `gatehouse mandate sign`/,
    },
  },
  "mandate list": {
    args: async ({ sent, shop }) => {
      await sent();
      return [shop, "--outcome", "approved"];
    },
    says: /^EVALUATED_AT +OUTCOME .*\n\S+Z +approved +get_pricing +skills /,
    json: { items: expect.arrayContaining([expect.objectContaining({ skill: "get_pricing" })]) },
    fails: {
      args: ({ shop }) => [shop, "--from", "yesterday"],
      code: 2,
      says: /^--from: yesterday is not valid\.$/m,
      next: /Use 2030-05-17 or 2030-05-17T12:30:00Z \(UTC\)\./,
    },
  },
  "mandate show": {
    args: async ({ sent, shop }) => [shop, (await sent()).mandateId],
    says: /^outcome +approved\ndecided by +rule skills, version 1$/m,
    json: { items: [{ outcome: "approved", rule_id: "skills" }] },
    fails: {
      args: ({ shop }) => [shop, "nobody-ever-sent-this"],
      code: 1,
      says: /has no decision about this mandate\.$/m,
      next: /`gatehouse mandate list \S+` lists its decisions\./,
    },
  },
};
