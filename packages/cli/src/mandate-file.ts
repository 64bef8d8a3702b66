import { readFileSync, writeFileSync } from "node:fs";
import { isJsonObject, type JsonObject, parseJson } from "@gatehouse/protocol";
import { CommandError, EXIT } from "./exit.js";

const HOW_TO_KEEP =
  "Name one that `gatehouse mandate sign` printed, or `gatehouse mandate send --out` kept.";

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
    throw new CommandError(`${file} is no mandate.`, EXIT.failed, HOW_TO_KEEP);
  }
  return { text, message };
}

/** Mandates may hold a payment token, so nobody else may read what is kept of them. */
export function keepFile(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch {
    const hint = "Name a file in a folder that is there and that you may write to.";
    throw new CommandError(`${file} cannot be written.`, EXIT.failed, hint);
  }
}

/** Where the body of a receipt is kept: `r.body.json` beside `r.json`. */
export function bodyFileOf(receiptFile: string): string {
  return `${receiptFile.replace(/\.json$/, "")}.body.json`;
}
