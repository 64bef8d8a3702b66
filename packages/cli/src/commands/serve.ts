import type { Running } from "@gatehouse/server";
import { VARIABLES } from "@gatehouse/server/installation";
import type { Command } from "commander";
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
  return `\nConfiguration is by environment variables:\n${lines.join("\n")}\n`;
}

/** Resolves with the signal that asks the process to stop; SIGHUP reads certificates again. */
export function untilStopped(onReload: () => void): Promise<void> {
  return new Promise((resolve) => {
    process.on("SIGHUP", onReload);
    process.once("SIGTERM", () => resolve());
    process.once("SIGINT", () => resolve());
  });
}

export function serveCommand(program: Command, terminal: Terminal): void {
  program
    .command("serve")
    .description("run the service")
    .addHelpText("after", configurationHelp())
    .action(async () => {
      // Listened for before anybody is told that we are ready.
      let running: Running | undefined;
      const stopped = untilStopped(() => running?.reloadTls());
      const { start } = await import("@gatehouse/server");
      running = await start(terminal.env, (text) => terminal.out(text));
      const here = settingsHere();
      if (here.length > 0) {
        terminal.out(
          `  settings  of ${SETTINGS_FILE}, where nothing else sets them: ${here.join(", ")}`,
        );
      }
      await stopped;
      terminal.err("Stopping: finishing the requests under way.");
      await running.stop();
    });
}
