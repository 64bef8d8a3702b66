import {
  isJsonObject,
  type JsonObject,
  type PolicyFinding,
  parseJson,
  policyFindings,
  readPolicy,
} from "@gatehouse/protocol";
import { queryOptions } from "@tanstack/react-query";
import { type Api, call, Refused } from "../api/client.js";

export type Policy = Api["Policy"];

/** The current rules, or null before the first version. */
export const policyQuery = (path: string) =>
  queryOptions({
    queryKey: ["policy", path],
    queryFn: async (): Promise<Policy | null> => {
      try {
        return await call<Policy>("GET", `${path}/policy`);
      } catch (error) {
        if (error instanceof Refused && error.status === 404) return null;
        throw error;
      }
    },
  });

/** The rules as text to edit, without their version number. */
export function editable(document: JsonObject): string {
  const { version: _number, ...rest } = document;
  return `${JSON.stringify(rest, null, 2)}\n`;
}

/** The rules of a document. */
export const rulesOf = ({ rules }: JsonObject): readonly JsonObject[] =>
  Array.isArray(rules) ? rules.filter((rule) => isJsonObject(rule)) : [];

export type Finding = Pick<PolicyFinding, "level" | "rule" | "message">;

export interface Draft {
  /** Undefined while the text is not a JSON object. */
  readonly document: JsonObject | undefined;
  readonly findings: readonly Finding[];
  readonly publishable: boolean;
}

/** Checks a draft with the same code as the service. */
export function readDraft(text: string): Draft {
  const wrong = (message: string, document?: JsonObject): Draft => ({
    document,
    findings: [{ level: "error", message }],
    publishable: false,
  });
  const parsed = parseJson(text);
  if (!parsed.ok) return wrong(`This is not valid JSON: ${parsed.detail}.`);
  if (!isJsonObject(parsed.value)) return wrong("Rules must be a JSON object.");
  const document = parsed.value;
  const read = readPolicy(document);
  if (!read.ok) return wrong(`${read.detail}.`, document);
  const findings = policyFindings(read.value);
  return { document, findings, publishable: findings.every(({ level }) => level !== "error") };
}
