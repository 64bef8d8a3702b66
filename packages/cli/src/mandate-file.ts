import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { isJsonObject, type JsonObject, parseJson } from "@gatehouse/protocol";
import { CommandError, EXIT } from "./exit.js";

const HOW_TO_KEEP = "Use a file from `gatehouse mandate sign` or `gatehouse mandate send --out`.";

/** A signed mandate that was kept: its text as it stands there, and what is signed. */
export function readMandateFile(file: string): { text: string; message: JsonObject } {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    throw new CommandError(`${file} cannot be read.`, EXIT.failed, HOW_TO_KEEP);
  }
  const parsed = parseJson(text);
  const message = parsed.ok && isJsonObject(parsed.value) ? parsed.value.signed : undefined;
  if (!isJsonObject(message)) {
    throw new CommandError(`${file} is not a mandate.`, EXIT.failed, HOW_TO_KEEP);
  }
  return { text, message };
}

/** Nothing of these may be written over another of them: one is the agent's private key. */
export function refuseSameFile(files: readonly (string | undefined)[]): void {
  const paths = files.flatMap((file) => (file === undefined ? [] : [resolve(file)]));
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice === undefined) return;
  const hint = "Use a different file for each option.";
  throw new CommandError(`${twice} is used for two options.`, EXIT.usage, hint);
}

/**
 * Mandates may hold a payment token, so nobody else may read what is kept of them. What was kept
 * there before is replaced whole, never followed to where a link leads.
 */
export function keepFile(file: string, text: string): void {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() === false) {
    const hint = "Use a new file, or a file that may be replaced.";
    throw new CommandError(`${file} is not a regular file.`, EXIT.failed, hint);
  }
  const part = `${file}.${process.pid}.part`;
  try {
    writeFileSync(part, text, { mode: 0o600, flag: "wx" });
    renameSync(part, file);
  } catch {
    rmSync(part, { force: true });
    const hint = "Use a file in an existing folder that you can write to.";
    throw new CommandError(`${file} cannot be written.`, EXIT.failed, hint);
  }
}

/** Where the body of a receipt is kept: `r.body.json` beside `r.json`. */
export function bodyFileOf(receiptFile: string): string {
  return `${receiptFile.replace(/\.json$/, "")}.body.json`;
}
