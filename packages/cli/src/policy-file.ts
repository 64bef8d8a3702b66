import { readFileSync } from "node:fs";
import {
  isJsonObject,
  type JsonObject,
  type Policy,
  type PolicyFinding,
  parseJson,
  readPolicy,
} from "@gatehouse/protocol";
import { CommandError, EXIT } from "./exit.js";
import { plainText } from "./terminal.js";

/** A policy in a file; what is wrong with it is said by its place. */
export function readPolicyFile(file: string): { document: JsonObject; policy: Policy } {
  let text: Buffer;
  try {
    text = readFileSync(file);
  } catch {
    throw new CommandError(`${file} cannot be read.`, EXIT.failed);
  }
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) {
    const why = parsed.ok ? "it is no object" : parsed.detail;
    throw new CommandError(`${file} is no JSON document: ${why}.`, EXIT.failed);
  }
  const policy = readPolicy(parsed.value);
  if (!policy.ok) throw new CommandError(`${plainText(policy.detail)}.`, EXIT.failed);
  return { document: parsed.value, policy: policy.value };
}

/** One line for each finding. */
export function findingLines(findings: readonly PolicyFinding[]): string[] {
  return findings.map(({ level, message }) => plainText(`${level}: ${message}`));
}
