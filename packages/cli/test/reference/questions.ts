import { expect } from "vitest";
import type { Coverage } from "./covered.ts";

const noQuestion = (...rest: string[]) => ({
  args: ({ shop }: { readonly shop: string }) => [shop, "qst_none", ...rest],
  code: 1 as const,
  says: /^There is no such question\.$/m,
  next: /`gatehouse question list \S+ --state answered` lists the answered questions\./,
});

/** `question`: what agents asked. */
export const questions: Coverage = {
  "question list": {
    args: async ({ shop, question }) => {
      await question();
      return [shop];
    },
    says: /^QUESTION_ID +SKILL +ASKED .*\nqst_\S+ +get_pricing +1 × +\S+ +Is number \d+ free\?$/m,
    json: { items: expect.arrayContaining([expect.objectContaining({ state: "new" })]) },
    fails: {
      args: ({ shop }) => [shop, "--state", "old"],
      code: 2,
      says: /^--state: old is not valid\.$/m,
      next: /Use one of: new, answered, dismissed/,
    },
  },
  "question answer": {
    args: async ({ shop, question }) => [shop, await question(), "Yes.", "--publish"],
    says: /^answered and published$/m,
    json: { state: "answered", answer: "Yes.", published: true },
    fails: noQuestion("Yes."),
  },
  "question dismiss": {
    args: async ({ shop, question }) => [shop, await question()],
    says: /^dismissed$/m,
    json: { state: "dismissed" },
    fails: noQuestion(),
  },
};
