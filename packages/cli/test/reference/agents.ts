import { expect } from "vitest";
import type { Coverage } from "./covered.ts";

/** What every command about an agent says of one that is not there. */
const noAgent = {
  args: ({ shop }: { readonly shop: string }) => [shop, "agt_none"],
  code: 1 as const,
  says: /^There is no such agent\.$/m,
  next: /`gatehouse agent list \S+` lists the agents\./,
};

/** `agent`: those a site knows, and one of your own. */
export const agents: Coverage = {
  "agent list": {
    args: ({ shop }) => [shop, "--search", "ours"],
    says: /^AGENT_ID +NAME +STATUS +SCOPES +TAGS +SINCE\nagt_\S+ +Ours +active +all /,
    json: { items: [{ name: "Ours", status: "active" }] },
    fails: {
      args: ({ shop }) => [shop, "--status", "asleep"],
      code: 2,
      says: /^--status: asleep is not valid\.$/m,
      next: /Use one of: pending, active, suspended, revoked, rejected\./,
    },
  },
  "agent show": {
    args: ({ shop, agentId }) => [shop, agentId],
    says: /^name +Ours\nstatus +active$[\s\S]*^keys +\S+ \(active\)$/m,
    json: { name: "Ours", status: "active" },
    fails: noAgent,
  },
  "agent approve": {
    args: async ({ shop, waiting }) => [shop, await waiting(), "--scope", "skill:get_pricing"],
    says: /^name +Waiting \(claimed\)\nstatus +active$[\s\S]*^scopes +skill:get_pricing$/m,
    json: { status: "active", scopes: ["skill:get_pricing"] },
    fails: noAgent,
  },
  "agent reject": {
    args: async ({ shop, waiting }) => [shop, await waiting()],
    says: /^status +rejected$/m,
    json: { status: "rejected" },
    fails: noAgent,
  },
  "agent reject-pending": {
    args: async ({ shop, waiting }) => {
      await waiting();
      return [shop];
    },
    says: /^Declined \d+ agents?\.$/m,
    json: { rejected: 1 },
    fails: {
      args: () => ["nowhere.example"],
      code: 1,
      says: /^There is no site for nowhere\.example\.$/m,
      next: /`gatehouse site list` lists the sites\./,
    },
  },
  "agent suspend": {
    args: async ({ shop, active }) => [shop, await active()],
    says: /^status +suspended$/m,
    json: { status: "suspended" },
    fails: noAgent,
  },
  "agent revoke": {
    args: async ({ shop, active }) => [shop, await active()],
    says: /^status +revoked$/m,
    json: { status: "revoked" },
    fails: noAgent,
  },
  "agent change": {
    args: async ({ shop, active }) => [shop, await active(), "--name", "Known", "--tag", "trusted"],
    says: /^name +Known$[\s\S]*^tags +trusted$/m,
    json: { name: "Known", tags: ["trusted"] },
    fails: noAgent,
  },
  "agent add": {
    args: async ({ shop, keygen }) => [shop, "--key", await keygen(), "--name", "Another"],
    says: /^agt_\S+ {2}active$/m,
    json: { agent_id: expect.stringMatching(/^agt_/), status: "active" },
    fails: {
      args: ({ shop, fresh }) => [shop, "--key", fresh("json"), "--name", "Another"],
      code: 1,
      says: /^\S+\.json does not exist\.$/m,
      next: /or create one: gatehouse agent keygen --out /,
    },
  },
  "agent keygen": {
    args: ({ fresh }) => ["--out", fresh("json")],
    says: /^\{\n {2}"kty": "OKP"/,
    json: { kty: "OKP", crv: "Ed25519", kid: expect.any(String) },
    fails: {
      args: ({ key }) => ["--out", key],
      code: 1,
      says: /cannot be written\. The file already exists, and keys are never overwritten\.$/m,
      next: /Choose another file with --out\./,
    },
  },
  "agent register": {
    args: async ({ card, keygen }) => [card, "--key", await keygen(), "--name", "Newcomer"],
    says: /^agt_\S+ {2}pending$/m,
    json: { agent_id: expect.stringMatching(/^agt_/), status: "pending" },
    fails: {
      args: ({ url, key }) => [`${url}/v1/agent-card/none.json`, "--key", key, "--name", "Lost"],
      code: 1,
      says: /answers with status 404\.$/m,
      next: /Use the address of the site or of its card/,
    },
  },
  "agent status": {
    args: ({ card, agentId }) => [card, agentId],
    says: /^active$/m,
    json: { status: "active" },
    fails: {
      args: () => ["http://127.0.0.1:2/card.json", "agt_none"],
      code: 4,
      says: /does not answer \(ECONNREFUSED\)\.$/m,
      next: /Check the address and whether the site is up\./,
    },
  },
};
