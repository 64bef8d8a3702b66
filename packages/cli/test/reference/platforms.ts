import type { Coverage } from "./covered.ts";

/** What is said where a name stands for many. */
const shared = {
  args: ({ shop }: { readonly shop: string }) => [shop, "github.io"],
  code: 1 as const,
  says: /^Many owners share github\.io\. Name the host of one of them\.$/m,
  next: /See http:\S+\/docs\/errors\/\S+\.md/,
};

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
      says: /^--status: asleep is not understood\.$/m,
      next: /Write one of: seen, admitted, suspended\./,
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
  "platform forget": {
    args: async ({ shop, run }) => {
      await run("platform", "suspend", shop, "gone.example");
      return [shop, "gone.example"];
    },
    says: /^gone\.example is removed from the list\.$/m,
    json: { platform: "gone.example", status: "forgotten" },
    fails: {
      args: ({ shop }) => [shop, "none.example"],
      code: 1,
      says: /^There is no such platform in the list\.$/m,
      next: /`gatehouse platform list \S+` shows the platforms there are\./,
    },
  },
};
