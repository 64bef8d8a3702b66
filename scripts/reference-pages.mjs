/** Reference pages made from the code, so that they cannot drift from it. */
import { EXIT } from "../packages/cli/dist/exit.js";
import { createProgram } from "../packages/cli/dist/program.js";
import { PROTOCOLS } from "../packages/protocol/dist/index.js";
import { METRICS } from "../packages/server/dist/infra/metric-list.js";
import { VARIABLES } from "../packages/server/dist/installation.js";
import { httpReference } from "./http-reference.mjs";
import { interfaceDocument } from "./interface-document.mjs";

const NOTE = "<!-- Made from the code by `npm run docs`; edits here are lost. -->";

const GROUPS = {
  basics: "Basics",
  network: "HTTPS and proxies",
  secrets: "Secrets and keys",
  mail: "Mail",
  development: "Development only",
  limits: "Limits",
};

const cell = (text) => text.replaceAll("|", "\\|");

function configurationPage() {
  const sections = Object.entries(GROUPS).map(([group, title]) => {
    const rows = VARIABLES.filter((variable) => variable.group === group).map((variable) => {
      const fallback = variable.fallback === undefined ? "—" : `\`${variable.fallback}\``;
      const awaits =
        variable.awaits === undefined
          ? ""
          : ` *Read, but without effect until ${variable.awaits} is built.*`;
      const secret = variable.secret ? " Secret: never printed." : "";
      return `| \`${variable.name}\` | ${fallback} | ${cell(variable.help.replace(/^limit: /, ""))}.${secret}${awaits} |`;
    });
    return `## ${title}\n\n| Variable | Default | Meaning |\n|---|---|---|\n${rows.join("\n")}\n`;
  });
  return [
    NOTE,
    "# Configuration\n",
    "Gatehouse is configured by environment variables, and by a file `gatehouse.env` in the folder the",
    'command is run in: lines of `NAME=value`, or `NAME="a value"`. A variable of the environment takes',
    "the place of the same one in the file, whole. They are read once, at start;",
    "a value that makes no sense, or a `GATEHOUSE_` variable that does not exist, refuses to start with",
    "one sentence that says what to mend. An empty variable counts as absent.\n",
    ...sections,
    "A limit is at most 1,000,000; one of bytes in memory at most 512 MiB, one of stored bytes 1 TiB. A whole minute's worth may",
    "come in one burst unless said otherwise. [Which limit to raise](../operations/growth.md#which-limit-to-raise) when honest callers",
    "are turned away.\n",
  ].join("\n");
}

function protocolsPage() {
  const rows = PROTOCOLS.map(({ name, kind, status, limitation, version, scope }) => {
    const shown = limitation === undefined ? status : `${status}, ${limitation}`;
    return `| ${name} | ${kind} | ${shown} | ${version ?? "—"} | ${cell(scope)} |`;
  });
  return [
    NOTE,
    "# Protocols\n",
    "What the interface contract promises of each protocol, with the contract's own status words.\n",
    "| Protocol | Kind | Status | Version | Scope |\n|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

const EXIT_MEANINGS = {
  good: "done",
  failed: "what was asked for failed, or a check did not hold",
  usage: "the command line was not understood",
  cannotStart: "the installation cannot start or be opened",
  unreachable: "the service did not answer",
};

function commandSections(command, path) {
  const leaves = command.commands.filter((child) => child.name() !== "help");
  if (leaves.length > 0)
    return leaves.flatMap((child) => commandSections(child, `${path} ${child.name()}`));
  const usage = command.usage().replace("[options]", "").trim();
  const choicesOf = ({ argChoices }) =>
    argChoices === undefined ? "" : ` (${argChoices.join(", ")})`;
  const options = command.options.map((option) => {
    const { flags, description, mandatory } = option;
    return `- \`${flags}\`: ${description}${choicesOf(option)}${mandatory ? ", required" : ""}`;
  });
  const args = command.registeredArguments
    .filter((argument) => argument.argChoices !== undefined)
    .map((argument) => `- \`<${argument.name()}>\`: ${argument.description}${choicesOf(argument)}`);
  const lines = [`## \`${`${path} ${usage}`.trim()}\`\n`, `${command.description()}\n`];
  const all = [...args, ...options];
  return all.length === 0 ? lines : [...lines, `${all.join("\n")}\n`];
}

function cliPage() {
  const terminal = { env: {}, out() {}, err() {} };
  const codes = Object.entries(EXIT).map(([name, code]) => `| ${code} | ${EXIT_MEANINGS[name]} |`);
  return [
    NOTE,
    "# Command line\n",
    "Bare verbs act on the installation in this folder; all else is a noun and a verb, and talks to the",
    "running service at `GATEHOUSE_BASE_URL` with `GATEHOUSE_ADMIN_TOKEN`, or with the token kept in the",
    "data folder. Tables are for people, `--json` is for programs. How far long work is goes to standard",
    "error, where that is a terminal or with `--progress`; so does every error, with what to do next.\n",
    "| Exit code | Meaning |\n|---|---|",
    ...codes,
    "",
    ...commandSections(createProgram(terminal), "gatehouse"),
  ].join("\n");
}

function metricsPage() {
  const rows = Object.entries(METRICS).map(([name, { type, help, labels }]) => {
    const said = Object.entries(labels).map(([label, meaning]) => `\`${label}\`: ${meaning}`);
    return `| \`${name}\` | ${type} | ${help} | ${said.length === 0 ? "—" : said.join("; ")} |`;
  });
  return [
    NOTE,
    "# Metrics\n",
    "What `/metrics` counts, in the Prometheus text format: for an operator's token, or for a client on the same machine that came",
    "through no proxy. Every process counts for itself, from its start. A metric is there from the first time it is counted. Names end in",
    "their unit; histograms have buckets from 1 ms to 10 s. [Which to watch](../operations/monitor.md).\n",
    "| Metric | Type | Meaning | Labels |\n|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

/** Path from the repository's root → text. */
export async function generatePages() {
  return {
    "docs/reference/cli.md": cliPage(),
    "docs/reference/configuration.md": configurationPage(),
    "docs/reference/http.md": `${NOTE}\n${httpReference(await interfaceDocument())}`,
    "docs/reference/metrics.md": metricsPage(),
    "docs/reference/protocols.md": protocolsPage(),
  };
}
