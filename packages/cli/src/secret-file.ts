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
  // Not repeated: it would stand in a terminal that others may see.
  if (/^(?:sk|rk|pk)_(?:test|live)_|^whsec_/.test(file)) {
    throw new CommandError(
      "Do not put a secret on the command line: other users can read it.",
      EXIT.usage,
      "Use a file that contains the secret, or - to type the secret.",
    );
  }
  let text: string;
  try {
    text = readFileSync(file === "-" ? STANDARD_INPUT : file, "utf8").trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "ENOENT" ? "it does not exist" : `the system reported ${code}`;
    const hint = "Use a file that contains only the secret, or - to type the secret.";
    throw new CommandError(`${file} cannot be read: ${why}.`, EXIT.failed, hint);
  }
  if (text === "" || text.length > SECRET_CHARS_MAX || /\s/.test(text)) {
    throw new CommandError(
      `${file} does not contain a secret.`,
      EXIT.usage,
      "Write only the secret to the file, on one line.",
    );
  }
  return text;
}
