import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { beforeAll, describe, expect, test } from "vitest";
import { cleanUp } from "../../server/test/harness.ts";
import { createProgram } from "../src/program.ts";
import { command } from "./command.ts";
import { agents } from "./reference/agents.ts";
import { audit } from "./reference/audit.ts";
import { buyers } from "./reference/buyers.ts";
import { connectors } from "./reference/connectors.ts";
import type { Coverage } from "./reference/covered.ts";
import { installation } from "./reference/installation.ts";
import { mandates } from "./reference/mandates.ts";
import { platforms } from "./reference/platforms.ts";
import { policies } from "./reference/policies.ts";
import { questions } from "./reference/questions.ts";
import { sales } from "./reference/sales.ts";
import { siteSettings } from "./reference/site-settings.ts";
import { sites } from "./reference/sites.ts";
import { openStage, type Stage } from "./reference/stage.ts";
import { tokens } from "./reference/tokens.ts";

const COVERAGE: Coverage = {
  ...installation,
  ...sites,
  ...siteSettings,
  ...policies,
  ...sales,
  ...buyers,
  ...questions,
  ...connectors,
  ...agents,
  ...platforms,
  ...mandates,
  ...audit,
  ...tokens,
};

/** Every command that can be run, by its name, as docs/reference/cli.md lists them. */
function leaves(command: Command, path: readonly string[] = []): [string, Command][] {
  if (command.commands.length === 0) return [[path.join(" "), command]];
  return command.commands.flatMap((child) => leaves(child, [...path, child.name()]));
}

const grammar = new Map(leaves(createProgram({ env: {}, out() {}, err() {} })));
let at: Stage;

beforeAll(async () => {
  at = await openStage();
  return async () => {
    await cleanUp();
    await at.close();
  };
});

test("every command of the grammar is run here, and no other", () => {
  expect(Object.keys(COVERAGE).sort()).toEqual([...grammar.keys()].sort());
});

test("every command takes --json, except those that serve", () => {
  const without = [...grammar].filter(([, leaf]) =>
    leaf.options.every(({ long }) => long !== "--json"),
  );
  const serving = Object.entries(COVERAGE).filter(([, one]) => "worksIn" in one);
  expect(without.map(([name]) => name).sort()).toEqual(serving.map(([name]) => name).sort());
});

describe.each(Object.entries(COVERAGE))("gatehouse %s", (name, one) => {
  const words = name.split(" ");

  if ("worksIn" in one) {
    test("has a test where it is run", () => {
      const [file, title] = one.worksIn;
      const path = fileURLToPath(new URL(`../../../${file}`, import.meta.url));
      expect(readFileSync(path, "utf8")).toContain(`test("${title}"`);
    });
  } else {
    const run = async (...more: string[]) => {
      const env = { ...at.env, ...(await one.env?.(at)) };
      return command([...words, ...(await one.args(at)), ...more], env);
    };

    test("works, and prints a result for people", async () => {
      const { code, out, err } = await run();
      expect({ code, err }).toMatchObject({ code: 0 });
      expect(out).toMatch(one.says);
    });

    test("prints only JSON for programs", async () => {
      const { code, out, err } = await run("--json");
      expect({ code, err }).toMatchObject({ code: 0 });
      const texts = one.jsonLines ? out.trimEnd().split("\n") : [out];
      for (const text of texts) expect(JSON.parse(text)).toMatchObject(one.json);
    });
  }

  test("says what went wrong and what to do next", async () => {
    const { args, code, says, next, env } = one.fails;
    const failed = await command([...words, ...(await args(at))], { ...at.env, ...env });
    expect(failed).toMatchObject({ code, err: expect.stringMatching(says) });
    const behind = failed.err.slice(failed.err.search(says));
    expect(behind).toMatch(next);
  });
});
