import { expect } from "vitest";
import type { Coverage } from "./covered.ts";

const noQuestion = (state: string, ...rest: string[]) => ({
  args: ({ shop }: { readonly shop: string }) => [shop, "qst_none", ...rest],
  code: 1 as const,
  says: /^There is no such question\.$/m,
  next: new RegExp(
    `\`gatehouse question list \\S+ --state ${state}\` lists the ${state} questions`,
  ),
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
    fails: noQuestion("answered", "Yes."),
  },
  "question dismiss": {
    args: async ({ shop, question }) => [shop, await question()],
    says: /^dismissed$/m,
    json: { state: "dismissed" },
    fails: noQuestion("answered"),
  },
  "question restore": {
    args: async ({ shop, dismissedQuestion }) => [shop, await dismissedQuestion()],
    says: /^new$/m,
    json: { state: "new" },
    fails: noQuestion("dismissed"),
  },
};
