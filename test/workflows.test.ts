import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { root } from "./source.ts";

interface Step {
  readonly uses?: string;
  readonly run?: string;
}

interface Workflow {
  readonly name: string;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs: Readonly<
    Record<string, { readonly "timeout-minutes"?: number; readonly steps: readonly Step[] }>
  >;
}

const FOLDER = join(root, ".github/workflows");
/** Whose actions may see the source and the tokens of a release. */
const TRUSTED = /^(?:actions|docker)\/[\w-]+@(?:v\d+|[0-9a-f]{40})$/;

describe.each(readdirSync(FOLDER))("the workflow %s", (file) => {
  const text = readFileSync(join(FOLDER, file), "utf8");
  const workflow: Workflow = parse(text, { strict: true, uniqueKeys: true });
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  test("limits its permissions and the time of its jobs", () => {
    expect(workflow.permissions).toBeDefined();
    for (const job of Object.values(workflow.jobs)) {
      expect(job["timeout-minutes"]).toBeLessThanOrEqual(30);
    }
  });

  test("uses actions of their makers alone", () => {
    const actions = steps.flatMap(({ uses }) => uses ?? []);
    expect(actions.filter((action) => !TRUSTED.test(action))).toEqual([]);
  });

  test("runs only scripts that exist, and puts no words of strangers into a command", () => {
    const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const commands = steps.flatMap(({ run }) => run ?? []);
    for (const command of commands) {
      for (const [, name] of command.matchAll(/npm run ([\w:]+)/g)) {
        expect(scripts).toHaveProperty([name as string]);
      }
      for (const [, path] of command.matchAll(/\bnode (scripts\/\S+)/g)) {
        expect(existsSync(join(root, path as string))).toBe(true);
      }
      expect(command).not.toMatch(/\$\{\{ *github\.(?:event|head_ref|ref)/);
    }
  });
});
