import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { MAJOR_VERSION_IMAGE, NODE_IMAGE, readCompose, readImage } from "./deploy-files.ts";
import { root } from "./source.ts";

const COMPOSE_FILES = ["compose.yaml", "compose.postgres.yaml"];

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

const WORKFLOWS = ".github/workflows";
const FOLDER = join(root, WORKFLOWS);
/** Whose actions may see the source and the tokens of a release. */
const TRUSTED = /^(?:actions|docker)\/[\w-]+@(?:v\d+|[0-9a-f]{40})$/;

function readWorkflow(file: string, repository = root): Workflow {
  const text = readFileSync(join(repository, WORKFLOWS, file), "utf8");
  return parse(text, { strict: true, uniqueKeys: true });
}

const stepsOf = (workflow: Workflow) => Object.values(workflow.jobs).flatMap((job) => job.steps);

/** The actions of a workflow, as it names them. */
const actionsOf = (workflow: Workflow) => stepsOf(workflow).flatMap(({ uses }) => uses ?? []);

describe.each(readdirSync(FOLDER))("the workflow %s", (file) => {
  const workflow = readWorkflow(file);
  const steps = stepsOf(workflow);

  test("limits its permissions and the time of its jobs", () => {
    expect(workflow.permissions).toBeDefined();
    for (const job of Object.values(workflow.jobs)) {
      expect(job["timeout-minutes"]).toBeLessThanOrEqual(30);
    }
  });

  test("uses actions of their makers alone", () => {
    expect(actionsOf(workflow).filter((action) => !TRUSTED.test(action))).toEqual([]);
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

describe("a copy of the repository whose actions and images are pinned", () => {
  const REVISION = "1234567890abcdef1234567890abcdef12345678";
  const DIGEST = `sha256:${"0123456789abcdef".repeat(4)}`;
  const folder = mkdtempSync(join(tmpdir(), "gatehouse-pins-"));
  const copy = join(folder, "copy");
  const programs = join(folder, "programs");
  afterAll(() => rmSync(folder, { recursive: true }));

  function pin(...words: string[]): { status: number | null; stderr: string } {
    const script = join(root, "scripts/release/pin.mjs");
    const env = { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH}` };
    return spawnSync(process.execPath, [script, ...words], { cwd: copy, env, encoding: "utf8" });
  }

  beforeAll(() => {
    mkdirSync(programs);
    // Stand-ins for the two programs that resolve names: what they print is all that the script takes from them.
    const answers = {
      git: `${REVISION}\trefs/tags/v1`,
      docker: JSON.stringify({ digest: DIGEST }),
    };
    for (const [name, answer] of Object.entries(answers)) {
      writeFileSync(join(programs, name), `#!/bin/sh\necho '${answer}'\n`, { mode: 0o755 });
    }
    mkdirSync(join(copy, ".github"), { recursive: true });
    for (const name of [WORKFLOWS, "deploy"]) {
      cpSync(join(root, name), join(copy, name), { recursive: true });
    }
    // A copy in which everything is named by its version, also if this checkout is pinned.
    for (const file of pinnedFiles()) {
      const text = readFileSync(join(copy, file), "utf8");
      const tagged = text
        .replace(/@[0-9a-f]{40} # (\S+)/g, "@$1")
        .replace(/@sha256:[0-9a-f]{64}/g, "");
      writeFileSync(join(copy, file), tagged);
    }
  });

  function pinnedFiles(): string[] {
    const workflows = readdirSync(FOLDER).map((name) => `${WORKFLOWS}/${name}`);
    return [...workflows, ...["Dockerfile", ...COMPOSE_FILES].map((name) => `deploy/${name}`)];
  }

  test("is released only after it is pinned, and then still passes the checks of workflows and images", () => {
    const before = pin("--check");
    expect(before.status).toBe(1);
    expect(before.stderr).toContain("not pinned: deploy/Dockerfile: node:24-slim");
    expect(before.stderr).toContain("not pinned: .github/workflows/release.yml: actions/checkout@");

    expect(pin()).toMatchObject({ status: 0, stderr: "" });
    expect(pin("--check")).toMatchObject({ status: 0, stderr: "" });

    const actions = readdirSync(FOLDER).flatMap((file) => actionsOf(readWorkflow(file, copy)));
    expect(actions.filter((action) => !action.endsWith(`@${REVISION}`))).toEqual([]);
    expect(actions.filter((action) => !TRUSTED.test(action))).toEqual([]);

    const { from } = readImage(copy);
    expect(from).toEqual(from.map(() => `node:24-slim@${DIGEST}`));
    for (const image of from) expect(image).toMatch(NODE_IMAGE);
    const others = COMPOSE_FILES.flatMap((name) =>
      Object.values(readCompose(name, copy).services).filter(({ build }) => build === undefined),
    );
    expect(others.length).toBeGreaterThan(0);
    for (const { image } of others) {
      expect(image).toMatch(MAJOR_VERSION_IMAGE);
      expect(image.endsWith(`@${DIGEST}`)).toBe(true);
    }
  });
});
