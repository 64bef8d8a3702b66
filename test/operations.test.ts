import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createProgram } from "../packages/cli/src/program.ts";
import { VARIABLES } from "../packages/server/src/config/variables.ts";
import { METRICS } from "../packages/server/src/infra/metric-list.ts";
import { readCompose } from "./deploy-files.ts";
import { root, sourcesOf } from "./source.ts";

const FOLDER = "docs/operations";
const read = (path: string) => readFileSync(join(root, path), "utf8");
const pages = [
  ...readdirSync(join(root, FOLDER)).map((name) => `${FOLDER}/${name}`),
  "docs/guide/operator.md",
];

/** The lines of a page's `sh` blocks. */
function shellLines(page: string): string[] {
  return [...read(page).matchAll(/^```sh\n([\s\S]*?)^```/gm)]
    .flatMap(([, block = ""]) => block.split("\n"))
    .map((line) => line.replace(/\s+#.*$/, "").trim())
    .filter((line) => line !== "");
}

const wordsOf = (line: string) =>
  (line.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replace(/^["']|["']$/g, ""));

const GATEHOUSE =
  /^(?:npx |sudo -u gatehouse |docker compose (?:-f \S+ )?(?:exec \S+ |run (?:--\S+ )+))?gatehouse (.+?)(?: > \S+)?$/;

const terminal = { env: {}, out: () => undefined, err: () => undefined };

/** What of a command line the command would not understand. */
function misunderstood(line: string): string | undefined {
  let command = createProgram(terminal as never);
  const words = wordsOf(line);
  for (;;) {
    const next = command.commands.find((one) => one.name() === words[0]);
    if (next === undefined) break;
    command = next;
    words.shift();
  }
  if (command.commands.length > 0) return `there is no command ${words[0]}`;
  const { operands, unknown } = command.parseOptions(words);
  if (unknown.length > 0) return `${unknown[0]} is unknown`;
  const missing = command.options.find(
    (one) => one.mandatory && command.getOptionValue(one.attributeName()) === undefined,
  );
  if (missing !== undefined) return `${missing.long} is missing`;
  const wanted = command.registeredArguments;
  const most = wanted.some(({ variadic }) => variadic) ? Number.POSITIVE_INFINITY : wanted.length;
  const least = wanted.filter(({ required }) => required).length;
  const fits = operands.length >= least && operands.length <= most;
  return fits ? undefined : `${operands.length} arguments are given`;
}

describe("the operator's pages", () => {
  test("are all in the index", () => {
    const index = read(`${FOLDER}/README.md`);
    const missing = readdirSync(join(root, FOLDER)).filter(
      (name) => name !== "README.md" && !index.includes(`](${name})`),
    );
    expect(missing).toEqual([]);
  });

  test("name only existing commands and options", () => {
    const lines = pages.flatMap((page) =>
      shellLines(page).flatMap((line) => {
        const [, command] = GATEHOUSE.exec(line) ?? [];
        return command === undefined ? [] : [{ page, command }];
      }),
    );
    expect(lines.length).toBeGreaterThan(25);
    const wrong = lines.flatMap(({ page, command }) => {
      const why = misunderstood(command);
      return why === undefined ? [] : [`${page}: gatehouse ${command}: ${why}`];
    });
    expect(wrong).toEqual([]);
  });

  test("name only existing variables", () => {
    const known = new Set(VARIABLES.map(({ name }) => name));
    const wrong = pages.flatMap((page) =>
      (read(page).match(/\bGATEHOUSE_[A-Z_]+\b/g) ?? []).filter((name) => !known.has(name)),
    );
    expect(wrong).toEqual([]);
  });

  test("name only existing services, compose files and scripts", () => {
    const { scripts } = JSON.parse(read("package.json"));
    for (const line of pages.flatMap(shellLines)) {
      const [, script] = /^npm run ([\w:]+)/.exec(line) ?? [];
      if (script !== undefined) expect(scripts).toHaveProperty(script);
      const [, file = "compose.yaml"] = /^docker compose -f (\S+)/.exec(line) ?? [];
      const [, service] =
        /^docker compose (?:-f \S+ )?(?:exec|logs|cp|kill -s HUP|run(?: -\S+)+(?: tar)?) (\w+)/.exec(
          line,
        ) ?? [];
      if (service !== undefined) expect(readCompose(file).services).toHaveProperty(service);
    }
  });
});

describe("monitor.md", () => {
  const page = read(`${FOLDER}/monitor.md`);
  const sources = sourcesOf("server").map(({ text }) => text);

  test("names only existing metrics", () => {
    const named = page.match(/gatehouse_[a-z_]+/g) ?? [];
    expect(named.filter((name) => !(name in METRICS))).toEqual([]);
    expect(new Set(named).size).toBeGreaterThan(8);
  });

  test("names only events that the service logs", () => {
    const [, lines = ""] = page.split("## Log events");
    const events = [...lines.matchAll(/`([a-z]+\.[a-z_]+)`/g)].map(([, name]) => name);
    const unknown = events.filter((name) => !sources.some((text) => text.includes(`"${name}"`)));
    expect([unknown, events.length > 20]).toEqual([[], true]);
  });
});
