import type { RunResult } from "./run.ts";

/** How a failure is shown: what, when, after which steps, and how to see it again. */
export function failureText({ seed, steps, failure }: RunResult, hours: number): string {
  return [
    `Seed ${seed} fails at step ${steps}.`,
    ...(failure?.lastSteps ?? []).map((line) => `  ${line}`),
    failure?.message ?? "",
    `To see it again: npm run simulate -- --seed ${seed} --hours ${hours}`,
  ].join("\n");
}
