import { readFileSync } from "node:fs";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
  POLICY_RULES_MAX,
  type Policy,
  type PolicyFinding,
  parseJson,
  readPolicy,
} from "@gatehouse/protocol";
import { CommandError, EXIT } from "./exit.js";
import { plainText } from "./terminal.js";

/** A fault of JSON by line and column: nobody counts the characters of a file. */
function placed(detail: string, bytes: Buffer): string {
  const [whole, offset] = / at character (\d+)$/.exec(detail) ?? [];
  if (whole === undefined) return detail;
  const lines = bytes.toString("utf8").slice(0, Number(offset)).split("\n");
  const column = (lines.at(-1) ?? "").length + 1;
  return `${detail.slice(0, -whole.length)} at line ${lines.length}, column ${column}`;
}

/** A fault in a rule by the rule's id, where it has one. */
function byRule(detail: string, { rules }: JsonObject): string {
  const [place = "", index] = /^rules\[(\d+)\]/.exec(detail) ?? [];
  const rule = Array.isArray(rules) ? rules[Number(index)] : undefined;
  const id = isJsonObject(rule) ? rule.id : undefined;
  if (place === "" || typeof id !== "string" || !SHORT_ID.test(id)) return detail;
  return `The rule “${id}”, ${detail}`;
}

const SHORT_ID = /^[\w-]{1,64}$/;

/** Faults that are told at once; who has more has probably written another kind of document. */
const FAULTS_SHOWN_MAX = 10;
const FAULTLESS_RULE = { id: "any", effect: "deny", when: { skill: { exists: true } } };
const FAULTLESS: JsonObject = {
  policy: "rules/1",
  timezone: "UTC",
  default: "deny",
  rules: [FAULTLESS_RULE],
};
/** Members of a rule that are right or wrong whatever the others are. */
const BY_THEMSELVES = ["id", "effect", "when", "title", "mode"];

/** The first fault of a document, if it has one. */
function faultIn(document: JsonObject): readonly string[] {
  const read = readPolicy(document);
  return read.ok ? [] : [read.detail];
}

/** What is wrong around the rules: each member by itself. */
function faultsAround(document: JsonObject): readonly string[] {
  const names = new Set([...Object.keys(FAULTLESS), ...Object.keys(document)]);
  names.delete("rules");
  return [...names].flatMap((name) => {
    const { [name]: _good, ...others } = FAULTLESS;
    const own = document[name];
    return faultIn(own === undefined ? others : { ...others, [name]: own });
  });
}

/** What is wrong with one rule: its members by themselves, and all of it. */
function faultsOfRule(rule: JsonValue, index: number): readonly string[] {
  const own = isJsonObject(rule) ? rule : {};
  const parts = BY_THEMSELVES.filter((name) => own[name] !== undefined).map((name) => ({
    ...FAULTLESS_RULE,
    [name]: own[name] as JsonValue,
  }));
  return [...parts, rule]
    .flatMap((one) => faultIn({ ...FAULTLESS, rules: [one] }))
    .map((detail) => detail.replace(/^rules\[0\]/, `rules[${index}]`));
}

/** Faults that can be told apart, and at last the first of all, each told once. */
function faultsOf(first: string, document: JsonObject): string[] {
  const rules = Array.isArray(document.rules) ? document.rules.slice(0, POLICY_RULES_MAX) : [];
  const all = [...new Set([...faultsAround(document), ...rules.flatMap(faultsOfRule), first])];
  const shown = all.slice(0, FAULTS_SHOWN_MAX).map((detail) => byRule(detail, document));
  const more = all.length > shown.length ? [`and ${all.length - shown.length} more`] : [];
  return [...shown, ...more].map((line) => `${plainText(line)}.`);
}

/** A policy in a file; what is wrong with it is said by its place. */
export function readPolicyFile(file: string): { document: JsonObject; policy: Policy } {
  let text: Buffer;
  try {
    text = readFileSync(file);
  } catch {
    const hint = `Create it from a preset: gatehouse policy preset ask_always > ${file}`;
    throw new CommandError(`${file} cannot be read.`, EXIT.failed, hint);
  }
  const parsed = parseJson(text);
  if (!parsed.ok || !isJsonObject(parsed.value)) {
    const why = parsed.ok ? "it is not an object" : placed(parsed.detail, text);
    const hint = "Fix the file, or start again from a preset: gatehouse policy preset ask_always";
    throw new CommandError(`${file} is not a JSON document: ${why}.`, EXIT.failed, hint);
  }
  const policy = readPolicy(parsed.value);
  if (!policy.ok) {
    const says = faultsOf(policy.detail, parsed.value);
    throw new CommandError(says, EXIT.failed, `Fix ${file}, then check again.`);
  }
  return { document: parsed.value, policy: policy.value };
}

/** One line for each finding. */
export function findingLines(findings: readonly PolicyFinding[]): string[] {
  return findings.map(({ level, code, message }) => plainText(`${level} (${code}): ${message}`));
}
