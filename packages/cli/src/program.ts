import {
  BackupFileError,
  DatabaseUnavailableError,
  StartupError,
  VERSION,
} from "@gatehouse/server/installation";
import { Command, CommanderError } from "commander";
import { agentCommands } from "./commands/agent.js";
import { auditCommands } from "./commands/audit.js";
import { backupCommands } from "./commands/backup.js";
import { demoCommand } from "./commands/demo.js";
import { doctorCommand } from "./commands/doctor.js";
import { initCommand } from "./commands/init.js";
import { keyCommands } from "./commands/key.js";
import { mandateCommands } from "./commands/mandate.js";
import { orderCommands } from "./commands/order.js";
import { policyCommands } from "./commands/policy.js";
import { productCommands } from "./commands/product.js";
import { reviewCommands } from "./commands/review.js";
import { serveCommand } from "./commands/serve.js";
import { siteCommands } from "./commands/site.js";
import { skillCommands } from "./commands/skill.js";
import { tokenCommands } from "./commands/token.js";
import { verifyCommand } from "./commands/verify.js";
import { visitCommands } from "./commands/visit.js";
import { CommandError, EXIT } from "./exit.js";
import { withSettings } from "./init/settings-file.js";
import { plainText, type Terminal } from "./terminal.js";

/** The whole grammar; the reference page is made from it. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command("gatehouse")
    .description("The gate between a website and the agents that come to it.")
    .version(VERSION)
    // Its own flags stand before the command: `--version` behind one is the command's.
    .enablePositionalOptions()
    .exitOverride()
    .showHelpAfterError("Run with --help to see what this command takes.")
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
    });
  initCommand(program, terminal);
  serveCommand(program, terminal);
  demoCommand(program);
  doctorCommand(program, terminal);
  backupCommands(program, terminal);
  verifyCommand(program, terminal);
  siteCommands(program, terminal);
  skillCommands(program, terminal);
  visitCommands(program, terminal);
  policyCommands(program, terminal);
  productCommands(program, terminal);
  orderCommands(program, terminal);
  agentCommands(program, terminal);
  mandateCommands(program, terminal);
  reviewCommands(program, terminal);
  auditCommands(program, terminal);
  keyCommands(program, terminal);
  tokenCommands(program, terminal);
  return program;
}

/** Runs one command line and returns its exit code. Only a broken assumption throws. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const settled = { ...terminal, env: withSettings(terminal.env) };
    await createProgram(settled).parseAsync([...args], { from: "user" });
    return EXIT.good;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.good : EXIT.usage;
    if (error instanceof StartupError) {
      terminal.err(error.message);
      return EXIT.cannotStart;
    }
    if (error instanceof DatabaseUnavailableError) {
      terminal.err(`The database cannot be used now: ${error.message}.`);
      return EXIT.cannotStart;
    }
    if (error instanceof BackupFileError) {
      terminal.err(error.message);
      return EXIT.failed;
    }
    if (!(error instanceof CommandError)) throw error;
    const lines = error.hint === undefined ? [error.message] : [error.message, error.hint];
    terminal.err(lines.map(plainText).join("\n"));
    return error.code;
  }
}
