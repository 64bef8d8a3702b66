import { expect } from "vitest";
import type { Coverage } from "./covered.ts";
import type { Stage } from "./stage.ts";

/** What is said where a name stands for many. */
const shared = {
  args: ({ shop }: { readonly shop: string }) => [shop, "github.io"],
  code: 1 as const,
  says: /^Many owners share github\.io\. Use the host of one owner\.$/m,
  next: /See http:\S+\/docs\/errors\/\S+\.md/,
};

const notListed = {
  args: ({ shop }: { readonly shop: string }) => [shop, "none.example"],
  code: 1 as const,
  says: /^This platform is not in the list\.$/m,
  next: /`gatehouse platform list \S+` shows the list\. To add a platform: /,
};

/** An admitted platform that has a key. */
async function keyed({ shop, run }: Stage, platform: string): Promise<string> {
  await run("platform", "admit", shop, platform);
  const made = await run("platform", "create-key", shop, platform, "--json");
  return JSON.parse(made.out).credential_id;
}

/** `platform`: those that buy at a site. */
export const platforms: Coverage = {
  "platform list": {
    args: async ({ shop, run }) => {
      await run("platform", "admit", shop, "listed.example", "--name", "Listed");
      return [shop, "--search", "listed"];
    },
    says: /^PLATFORM +STATUS +NAME +FIRST_SEEN [\s\S]*\nlisted\.example +admitted +Listed +never /,
    json: { items: [{ platform: "listed.example", status: "admitted", name: "Listed" }] },
    fails: {
      args: ({ shop }) => [shop, "--status", "asleep"],
      code: 2,
      says: /^--status: asleep is not valid\.$/m,
      next: /Use one of: seen, admitted, suspended\./,
    },
  },
  "platform admit": {
    args: ({ shop }) => [shop, "https://Agents.Platform.example/profile.json"],
    says: /^platform +agents\.platform\.example\nstatus +admitted$/m,
    json: { platform: "agents.platform.example", status: "admitted" },
    fails: shared,
  },
  "platform suspend": {
    args: ({ shop }) => [shop, "bad.example", "--note", "Card testing"],
    says: /^platform +bad\.example\nstatus +suspended\nnote +Card testing$/m,
    json: { platform: "bad.example", status: "suspended", note: "Card testing" },
    fails: shared,
  },
  "platform remove": {
    args: async ({ shop, run }) => {
      await run("platform", "suspend", shop, "gone.example");
      return [shop, "gone.example"];
    },
    says: /^gone\.example was removed from the list\.$/m,
    json: { platform: "gone.example", status: "removed" },
    fails: notListed,
  },
  "platform create-key": {
    args: async ({ shop, run }) => {
      await run("platform", "admit", shop, "key.example");
      return [shop, "key.example", "--days", "30"];
    },
    says: /^X-API-Key +ghk_\S+\nid +key_\S+\nexpires +\S+\nGive this to the platform\./m,
    json: { kind: "api_key", platform: "key.example", secret: expect.stringMatching(/^ghk_/) },
    fails: {
      args: ({ shop }) => [shop, "key.example", "--days", "soon"],
      code: 2,
      says: /^--days: soon is not valid\.$/m,
      next: /Use a whole number of days, such as 90\./,
    },
  },
  "platform create-client": {
    args: async ({ shop, run }) => {
      await run("platform", "admit", shop, "client.example");
      return [shop, "client.example"];
    },
    says: /^client id +client_\S+\nclient secret +ghs_\S+\ntoken URL +http\S+\/oauth\/token$/m,
    json: { kind: "oauth_client", token_url: expect.stringMatching(/\/oauth\/token$/) },
    fails: notListed,
  },
  "platform keys": {
    args: async ({ shop, run }) => {
      await run("platform", "admit", shop, "keys.example");
      await run("platform", "create-key", shop, "keys.example");
      return [shop, "keys.example"];
    },
    says: /^ID +KIND +CREATED +EXPIRES +LAST_USED[\s\S]*\nkey_\S+ +API key /,
    json: { items: expect.arrayContaining([expect.objectContaining({ kind: "api_key" })]) },
    fails: notListed,
  },
  "platform revoke-key": {
    args: async (at) => [at.shop, "revoked.example", await keyed(at, "revoked.example")],
    says: /^key_\S+ is revoked\.$/m,
    json: { status: "revoked" },
    fails: {
      args: async (at) => [at.shop, "revoked.example", "key_none"],
      code: 1,
      says: /^This platform has no such key or client\.$/m,
      next: /`gatehouse platform keys \S+ revoked\.example` lists them\./,
    },
  },
  "platform connect": {
    args: async ({ shop, run }) => {
      await run("platform", "admit", shop, "connected.example");
      return [shop, "connected.example", "--preset", "google", "--webhook-id", "uuid"];
    },
    says: /^platform +connected\.example\nerror codes +google\nwebhook +the address in its profile\n.* none\nwebhook timestamp +iso8601\nwebhook id +uuid$/m,
    json: { error_codes: "google", webhook: { timestamp: "iso8601", id: "uuid" } },
    fails: notListed,
  },
};
