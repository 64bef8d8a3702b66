import cluster from "node:cluster";
import type { RunningWorkers } from "@gatehouse/server";
import { VARIABLES } from "@gatehouse/server/installation";
import { type Command, InvalidArgumentError, Option } from "commander";
import { runnable } from "../command-name.js";
import { SETTINGS_FILE, settingsHere } from "../init/settings-file.js";
import type { Terminal } from "../terminal.js";

/** The configuration as `serve --help` shows it. */
function configurationHelp(): string {
  const width = Math.max(...VARIABLES.map(({ name }) => name.length));
  const lines = VARIABLES.map(({ name, help, fallback, awaits }) => {
    const shown = fallback === undefined ? "" : ` (${fallback})`;
    const inert = awaits === undefined ? "" : ` [no effect until ${awaits} is built]`;
    return `  ${name.padEnd(width)}  ${help}${shown}${inert}`;
  });
  return `\nConfigure the service with environment variables:\n${lines.join("\n")}\n`;
}

/** More would be a mistake: each has eleven connections to the database. */
const WORKERS_MAX = 64;

function readWorkers(text: string): number {
  const count = Number(text);
  if (/^\d{1,2}$/.test(text) && count >= 1 && count <= WORKERS_MAX) return count;
  throw new InvalidArgumentError(`Use a number from 1 to ${WORKERS_MAX}.`);
}

/**
 * Resolves with the signal that asks the process to stop; SIGHUP reads certificates again. A second signal
 * ends the process at once, but not a worker: a worker may get the signal from systemd and from its parent.
 */
export function untilStopped(onReload: () => void): Promise<void> {
  return new Promise((resolve) => {
    process.on("SIGHUP", onReload);
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      if (cluster.isWorker) process.on(signal, () => resolve());
      else process.once(signal, () => resolve());
    }
  });
}

/** Which settings come from the file of this folder. */
function settingsLines(env: Terminal["env"]): string[] {
  const { used, overridden } = settingsHere(env);
  const inFile = `in ${SETTINGS_FILE}, overridden by the environment`;
  return [
    ...(used.length === 0 ? [] : [`  settings  from ${SETTINGS_FILE}: ${used.join(", ")}`]),
    ...(overridden.length === 0 ? [] : [`  settings  ${inFile}: ${overridden.join(", ")}`]),
  ];
}

export function serveCommand(program: Command, terminal: Terminal): void {
  program
    .command("serve")
    .description("start the service")
    .addOption(
      new Option(
        "--workers <count>",
        "number of processes on one port, to use several cores; needs PostgreSQL",
      )
        .argParser(readWorkers)
        .default(1),
    )
    .addHelpText("after", configurationHelp())
    .action(async ({ workers }: { readonly workers: number }) => {
      // Listened for before anybody is told that we are ready.
      let running: RunningWorkers | undefined;
      const stopped = untilStopped(() => running?.reloadTls());
      const { start, startWorkers } = await import("@gatehouse/server");
      const print = (text: string) => terminal.out(runnable(text));
      running =
        workers === 1
          ? await start(terminal.env, print)
          : await startWorkers(terminal.env, print, workers);
      if (cluster.isPrimary) for (const line of settingsLines(terminal.env)) terminal.out(line);
      await stopped;
      if (cluster.isPrimary) terminal.err("Stopping after the current requests are finished.");
      await running.stop();
    });
}
