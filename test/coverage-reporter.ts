import { existsSync, writeFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule, TestSpecification, Vitest } from "vitest/node";
import { requirements } from "../conformance/requirements.ts";
import { type CitingTest, proofOf } from "./proof.ts";
import { DURATIONS_FILE, durations } from "./slowest-first.ts";

interface Meta {
  /** Outside vectors or schemas a test ran. */
  readonly outside?: number;
  /** Another runtime a test drove, and how many portable tests passed there. */
  readonly runtime?: string;
  readonly portable?: number;
}

/** The tier that proves every promise: `npm test`. */
const WHOLE_TIER = "short";

const citing = (test: TestCase): CitingTest => ({
  name: test.name,
  state: test.result().state,
});

function* passed(modules: readonly TestModule[]): Generator<TestCase> {
  for (const module of modules) {
    for (const test of module.children.allTests("passed")) yield test;
  }
}

/** Keeps how long each file took, in whole seconds: the order of the next runs. Others stay as they are. */
function writeDurations(modules: readonly TestModule[]): void {
  const seconds = new Map(Object.entries(durations()).filter(([file]) => existsSync(file)));
  for (const module of modules) {
    seconds.set(module.relativeModuleId, Math.round(module.diagnostic().duration / 1000));
  }
  const rows = [...seconds].filter(([, taken]) => taken > 0).sort();
  writeFileSync(DURATIONS_FILE, `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);
}

/** Ends a run with what it proved: promises of the contract, outside vectors, runtimes. */
export default class CoverageReporter implements Reporter {
  private vitest: Vitest | undefined;
  /** Whether the run was asked for all tests of the tier that proves every promise. */
  private isWholeTier = false;

  onInit(vitest: Vitest): void {
    this.vitest = vitest;
  }

  async onTestRunStart(asked: readonly TestSpecification[]): Promise<void> {
    if (this.vitest?.vite.config.mode !== WHOLE_TIER) return;
    if (this.vitest.config.testNamePattern !== undefined) return;
    const all = await this.vitest.globTestSpecifications();
    this.isWholeTier = asked.length === all.length;
  }

  onTestRunEnd(
    modules: readonly TestModule[],
    _errors: readonly unknown[],
    reason: "passed" | "interrupted" | "failed",
  ): void {
    if (process.env.WRITE_DURATIONS !== undefined) writeDurations(modules);
    const tests = [...passed(modules)];
    const all = modules.flatMap((module) => [...module.children.allTests()]);
    const { proven, missing, due } = proofOf(requirements, all.map(citing));
    const metas = tests.map((test) => test.meta() as Meta);
    const outside = metas.reduce((sum, meta) => sum + (meta.outside ?? 0), 0);
    const parts = new Map<string, string[]>();
    for (const { id, part } of missing) parts.set(part, [...(parts.get(part) ?? []), id]);
    const lines = [
      `contract: ${proven} of ${requirements.length} promises proven by this run`,
      "not proven by this run:",
      ...[...parts].map(([part, ids]) => `  ${part} (${ids.length}): ${ids.join(" ")}`),
      outside === 0
        ? "outside vectors: none ran (the folder beside this repository is absent, or not asked for)"
        : `outside vectors and schemas: ${outside} ran in Node`,
      ...metas
        .filter(({ runtime }) => runtime !== undefined)
        .map(({ runtime, portable }) => `protocol tests in ${runtime}: ${portable} passed`),
    ];
    const count = (state: string) => all.filter((test) => test.result().state === state).length;
    console.log(`\n${lines.join("\n")}\n`);
    console.log(
      `${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped`,
    );
    if (this.isWholeTier && reason !== "interrupted" && due.length > 0) {
      console.error(`No test proves these promises: ${due.join(", ")}`);
      process.exitCode = 1;
    }
  }
}
