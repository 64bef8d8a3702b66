import { isSiteKeyHash } from "@gatehouse/protocol";
import {
  BackupFileError,
  DatabaseUnavailableError,
  StartupError,
  VERSION,
} from "@gatehouse/server/installation";
import { Command, CommanderError, Help } from "commander";
import { runnable } from "./command-name.js";
import { agentCommands } from "./commands/agent.js";
import { auditCommands } from "./commands/audit.js";
import { backupCommands } from "./commands/backup.js";
import { buyerCommands } from "./commands/buyer.js";
import { clockCommands } from "./commands/clock.js";
import { connectorCommands } from "./commands/connector.js";
import { demoCommand } from "./commands/demo.js";
import { doctorCommand } from "./commands/doctor.js";
import { initCommand } from "./commands/init.js";
import { keyCommands } from "./commands/key.js";
import { mandateCommands } from "./commands/mandate.js";
import { orderCommands } from "./commands/order.js";
import { personCommands } from "./commands/person.js";
import { platformCommands } from "./commands/platform.js";
import { policyCommands } from "./commands/policy.js";
import { productCommands } from "./commands/product.js";
import { questionCommands } from "./commands/question.js";
import { reviewCommands } from "./commands/review.js";
import { serveCommand } from "./commands/serve.js";
import { siteCommands } from "./commands/site.js";
import { skillCommands } from "./commands/skill.js";
import { tokenCommands } from "./commands/token.js";
import { verifyCommand } from "./commands/verify.js";
import { visitCommands } from "./commands/visit.js";
import { CommandError, EXIT } from "./exit.js";
import { fileTrouble } from "./file-trouble.js";
import { withSettings } from "./init/settings-file.js";
import { plainLines, plainText, type Terminal } from "./terminal.js";
import { DASH_MARK, usageWords } from "./usage-words.js";

/** After what was not understood, each command says where to read what it takes. */
function nameHelp(command: Command, path: string): void {
  const holds = command.commands.length > 0 ? "lists the commands" : "shows the options";
  command.showHelpAfterError(`\`${path} --help\` ${holds}.`);
  for (const child of command.commands) nameHelp(child, `${path} ${child.name()}`);
}

/**
 * One site key hash in 64 begins with a dash, and would be taken for an option. A mark hides the dash from
 * the grammar, and is removed before the command runs. What follows an option is its value, as it is.
 */
function hideDash(arg: string, place: number, args: readonly string[]): string {
  const before = args[place - 1] ?? "";
  const isValue = before.startsWith("-") && !isSiteKeyHash(before);
  return arg.startsWith("-") && isSiteKeyHash(arg) && !isValue ? DASH_MARK + arg : arg;
}

function showDash(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(showDash);
  return typeof value === "string" ? value.replace(DASH_MARK, "") : value;
}

function showDashes(command: Command): void {
  command.processedArgs = command.processedArgs.map(showDash);
  for (const [name, value] of Object.entries(command.opts())) {
    command.setOptionValueWithSource(name, showDash(value), command.getOptionValueSource(name));
  }
}

/** The whole grammar; the reference page is made from it. */
export function createProgram(terminal: Terminal): Command {
  const program = new Command("gatehouse")
    .description("The gate between websites and AI agents.")
    .version(VERSION)
    // Its own flags stand before the command: `--version` behind one is the command's.
    .enablePositionalOptions()
    .exitOverride()
    .hook("preAction", (_program, command) => showDashes(command))
    .configureHelp({
      optionDescription: (option) =>
        new Help().optionDescription(option) + (option.mandatory ? " (required)" : ""),
    })
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
      outputError: (text, write) => write(usageWords(text)),
    })
    .addHelpText("after", runnable("\nNew to Gatehouse? Run gatehouse demo, then gatehouse init"));
  program.commandsGroup("Installation:").helpCommand(true);
  initCommand(program, terminal);
  serveCommand(program, terminal);
  demoCommand(program);
  doctorCommand(program, terminal);
  backupCommands(program, terminal);
  verifyCommand(program, terminal);
  program.commandsGroup("Commands by subject:");
  siteCommands(program, terminal);
  skillCommands(program, terminal);
  visitCommands(program, terminal);
  policyCommands(program, terminal);
  productCommands(program, terminal);
  connectorCommands(program, terminal);
  orderCommands(program, terminal);
  buyerCommands(program, terminal);
  agentCommands(program, terminal);
  platformCommands(program, terminal);
  mandateCommands(program, terminal);
  reviewCommands(program, terminal);
  questionCommands(program, terminal);
  auditCommands(program, terminal);
  keyCommands(program, terminal);
  clockCommands(program, terminal);
  personCommands(program, terminal);
  tokenCommands(program, terminal);
  nameHelp(program, program.name());
  return program;
}

/** What went wrong and what to do; a broken assumption is thrown on. */
function toldError(error: unknown): { readonly lines: readonly string[]; readonly code: number } {
  // These say both in one sentence.
  if (error instanceof StartupError) return { lines: [error.message], code: EXIT.cannotStart };
  if (error instanceof BackupFileError) return { lines: [error.message], code: EXIT.failed };
  if (error instanceof DatabaseUnavailableError) {
    const why = `The database is not available: ${error.message}. Try again, or run \`gatehouse doctor\`.`;
    return { lines: [why], code: EXIT.cannotStart };
  }
  const commandError = error instanceof CommandError ? error : fileTrouble(error);
  if (commandError === undefined) throw error;
  return { lines: [...commandError.lines, commandError.hint], code: commandError.code };
}

/** Runs one command line and returns its exit code. Only a broken assumption throws. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const settled = {
      ...terminal,
      env: withSettings(terminal.env),
      // Whatever a command prints may hold words of strangers.
      out: (text: string) => terminal.out(plainLines(text)),
      err: (text: string) => terminal.err(runnable(plainLines(text))),
    };
    const argv = args.length === 0 ? ["--help"] : args.map(hideDash);
    await createProgram(settled).parseAsync(argv, { from: "user" });
    return EXIT.good;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.good : EXIT.usage;
    const { lines, code } = toldError(error);
    terminal.err(runnable(lines.map(plainText).join("\n")));
    return code;
  }
}
