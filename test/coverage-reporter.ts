import { existsSync, writeFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import { citedIds } from "../conformance/citations.ts";
import { requirements } from "../conformance/requirements.ts";
import { DURATIONS_FILE, durations } from "./slowest-first.ts";

interface Meta {
  /** Outside vectors or schemas a test ran. */
  readonly outside?: number;
  /** Another runtime a test drove, and how many portable tests passed there. */
  readonly runtime?: string;
  readonly portable?: number;
}

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
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (process.env.WRITE_DURATIONS !== undefined) writeDurations(modules);
    const tests = [...passed(modules)];
    const proven = new Set(tests.flatMap((test) => citedIds(test.name)));
    const metas = tests.map((test) => test.meta() as Meta);
    const outside = metas.reduce((sum, meta) => sum + (meta.outside ?? 0), 0);
    const missing = requirements.filter(({ id }) => !proven.has(id));
    const parts = new Map<string, string[]>();
    for (const { id, part } of missing) parts.set(part, [...(parts.get(part) ?? []), id]);
    const lines = [
      `contract: ${proven.size} of ${requirements.length} promises proven by this run`,
      "not yet built, or not part of this run:",
      ...[...parts].map(([part, ids]) => `  ${part} (${ids.length}): ${ids.join(" ")}`),
      outside === 0
        ? "outside vectors: none ran (the folder beside this repository is absent, or not asked for)"
        : `outside vectors and schemas: ${outside} ran in Node`,
      ...metas
        .filter(({ runtime }) => runtime !== undefined)
        .map(({ runtime, portable }) => `protocol tests in ${runtime}: ${portable} passed`),
    ];
    const counted = modules.flatMap((module) => [...module.children.allTests()]);
    const count = (state: string) => counted.filter((test) => test.result().state === state).length;
    console.log(`\n${lines.join("\n")}\n`);
    console.log(
      `${count("passed")} passed, ${count("failed")} failed, ${count("skipped")} skipped`,
    );
  }
}
