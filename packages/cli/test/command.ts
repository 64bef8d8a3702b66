import type { Finished } from "../../../test/gatehouse-process.ts";
import { runCommand } from "../src/program.ts";

/** One command line in this process: all of the command but its own start, which costs most. */
export async function command(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Finished> {
  const said = { out: "", err: "" };
  const terminal = {
    env,
    out: (text: string) => {
      said.out += `${text}\n`;
    },
    err: (text: string) => {
      said.err += `${text}\n`;
    },
  };
  return { code: await runCommand(args, terminal), ...said };
}
