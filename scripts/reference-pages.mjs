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
  people: "People",
  development: "Development only",
  limits: "Limits",
};

const cell = (text) => text.replaceAll("|", "\\|");

function configurationPage() {
  const sections = Object.entries(GROUPS).map(([group, title]) => {
    const rows = VARIABLES.filter((variable) => variable.group === group).map((variable) => {
      const fallback = variable.fallback === undefined ? "—" : `\`${variable.fallback}\``;
      const awaits =
        variable.awaits === undefined ? "" : ` *Has no effect until ${variable.awaits} is built.*`;
      const secret = variable.secret ? " Secret: never printed." : "";
      return `| \`${variable.name}\` | ${fallback} | ${cell(variable.help.replace(/^limit: /, ""))}.${secret}${awaits} |`;
    });
    return `## ${title}\n\n| Variable | Default | Meaning |\n|---|---|---|\n${rows.join("\n")}\n`;
  });
  return [
    NOTE,
    "# Configuration\n",
    "You configure Gatehouse with environment variables, or with a file `gatehouse.env` in the folder where you run the command.",
    'The file has lines of `NAME=value` or `NAME="a value"`. An environment variable overrides the same variable in the file.\n',
    "The service reads the variables once, at startup. It does not start if a value is invalid or a `GATEHOUSE_` variable is unknown,",
    "and the error says what to fix. An empty variable counts as not set.\n",
    ...sections,
    "A limit is at most 1,000,000. A limit of bytes in memory is at most 512 MiB, and a limit of stored bytes at most 1 TiB.",
    "The requests of a whole minute can come in one burst, unless the table says otherwise. If honest callers are rejected, see",
    "[which limit to raise](../operations/growth.md#which-limit-to-raise).\n",
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
    "What the interface contract promises for each protocol. The status words are those of the contract.\n",
    "| Protocol | Kind | Status | Version | Scope |\n|---|---|---|---|---|",
    ...rows,
    "",
  ].join("\n");
}

const EXIT_MEANINGS = {
  good: "success",
  failed: "the command failed, or a check failed",
  usage: "the command line is not valid",
  cannotStart: "the installation cannot be started or opened",
  unreachable: "the service does not answer",
};

function commandSections(command, path) {
  const leaves = command.commands.filter((child) => child.name() !== "help");
  if (leaves.length > 0)
    return leaves.flatMap((child) => commandSections(child, `${path} ${child.name()}`));
  const usage = command.usage().replace("[options]", "").trim();
  const choicesOf = ({ argChoices }) =>
    argChoices === undefined ? "" : ` (${argChoices.map((value) => `\`${value}\``).join(", ")})`;
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
    "Commands of one word, such as `gatehouse serve`, work on the installation in this folder. All other commands have a subject and",
    "a verb, such as `gatehouse site list`. They call the running service at `GATEHOUSE_BASE_URL`. They use the token in",
    "`GATEHOUSE_ADMIN_TOKEN`, or the one in the data folder.\n",
    "Tables are for people, `--json` is for programs. Errors go to standard error, with what to do next. Long commands show their",
    "progress there too, if it is a terminal or with `--progress`.\n",
    "| Exit code | Meaning |\n|---|---|",
    ...codes,
    "",
    ...commandSections(createProgram(terminal), "gatehouse"),
  ].join("\n");
}

function metricsPage() {
  const rows = Object.entries(METRICS).map(([name, { type, help, labels }]) => {
    const meanings = Object.entries(labels).map(([label, meaning]) => `\`${label}\`: ${meaning}`);
    return `| \`${name}\` | ${type} | ${help} | ${meanings.length === 0 ? "—" : meanings.join("; ")} |`;
  });
  return [
    NOTE,
    "# Metrics\n",
    "These are the metrics at `/metrics`, in the Prometheus text format. To read them you need an operator token, or a direct",
    "connection from the same machine, without a proxy. Every process counts for itself, from its start. A metric appears when it is",
    "counted for the first time. Names end in the unit. Histograms have buckets from 1 ms to 10 s.",
    "See [which metrics to watch](../operations/monitor.md).\n",
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
