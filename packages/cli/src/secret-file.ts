import { readFileSync } from "node:fs";
import { CommandError, EXIT } from "./exit.js";

/** A file holds one line; anything longer is another file. */
const SECRET_CHARS_MAX = 1000;
const STANDARD_INPUT = 0;

/**
 * A secret in a file, or on standard input for `-`. Never in an argument: those stand in the list of
 * processes and in the history of the shell.
 */
export function readSecretFile(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  let text: string;
  try {
    text = readFileSync(file === "-" ? STANDARD_INPUT : file, "utf8").trim();
  } catch {
    throw new CommandError(`${file} cannot be read.`, EXIT.failed);
  }
  if (text === "" || text.length > SECRET_CHARS_MAX || /\s/.test(text)) {
    throw new CommandError(
      `${file} does not hold a secret: one line, and nothing else.`,
      EXIT.usage,
    );
  }
  return text;
}
