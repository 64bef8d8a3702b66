import { createInterface } from "node:readline/promises";
import { CommandError, EXIT } from "./exit.js";
import { runCommand } from "./program.js";

// Whoever read our output may go away first; that is no reason to stop serving.
for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);

/** One question on the terminal; what is asked goes where programs do not read. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } catch (error) {
    if ((error as Error).name !== "AbortError") throw error;
    const hint = "Run the command again when you are ready.";
    throw new CommandError(["", "Stopped. Nothing was changed."], EXIT.failed, hint);
  } finally {
    lines.close();
  }
}

const CLEAR_TO_END = "\u001b[K";

function redraw(line: string): void {
  process.stderr.write(`\r${line}${CLEAR_TO_END}`);
}

process.exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
  ...(process.stdout.isTTY ? {} : { copy: (text: string) => process.stdout.write(`${text}\n`) }),
  ...(process.stderr.isTTY ? { redraw } : {}),
  ...(process.stdin.isTTY ? { ask } : {}),
});
