import { sha256, toHex } from "../bytes.js";
import { canonicalBytes } from "../json/canonicalize.js";
import type { JsonValue } from "../json/value.js";
import type { Result } from "../result.js";
import {
  attempt,
  fail,
  readChoice,
  readList,
  readMembers,
  readPattern,
  readWhole,
} from "./members.js";
import type { Policy, PolicyRule } from "./model.js";
import { readRule } from "./rule.js";

/** Longest policy, in bytes of its canonical JSON. */
export const POLICY_BYTES_MAX = 32 * 1024;
/** Most rules of a policy. */
export const POLICY_RULES_MAX = 100;

/** Names only: engines disagree on whether an offset such as +01:00 is a time zone. */
const ZONE = /^[A-Za-z][\w+/-]{0,63}$/;
const ZONE_WORDS = "a time zone name, such as Europe/Berlin";

function readTimezone(value: JsonValue | undefined): string {
  const timeZone = readPattern(value, "timezone", ZONE, ZONE_WORDS);
  try {
    new Intl.DateTimeFormat("en", { timeZone });
  } catch {
    fail("timezone", `must be ${ZONE_WORDS}`);
  }
  return timeZone;
}

function readRules(value: JsonValue | undefined): readonly PolicyRule[] {
  const list = readList(value, "rules");
  if (list.length > POLICY_RULES_MAX)
    fail("rules", `must have at most ${POLICY_RULES_MAX} entries`);
  const seen = new Set<string>();
  const rules = list.map((item, i) => {
    const rule = readRule(item, `rules[${i}]`);
    if (seen.has(rule.id))
      fail(`rules[${i}].id`, "must be unique: an earlier rule has the same id");
    seen.add(rule.id);
    return rule;
  });
  return Object.freeze(rules);
}

function checkSize(value: JsonValue): void {
  let bytes: number;
  try {
    bytes = canonicalBytes(value).length;
  } catch {
    fail("the policy", "contains a value that has no canonical JSON");
  }
  if (bytes > POLICY_BYTES_MAX) {
    fail("the policy", `must have at most ${POLICY_BYTES_MAX} bytes of canonical JSON`);
  }
}

/**
 * Reads a parsed JSON document as a policy. What is not part of `rules/1` is refused, never
 * skipped: a rule that was half understood could allow what its owner forbade.
 *
 * @example
 * const rule = { id: "cap", effect: "deny", when: { "cart.total": { gt: { EUR: "200.00" } } } };
 * const document = { policy: "rules/1", timezone: "Europe/Berlin", default: "deny", rules: [rule] };
 * readPolicy(document).value.rules[0].id; //=> "cap"
 * readPolicy({ ...document, default: "allow" }).detail; //=> "default: must be one of deny, escalate"
 */
export function readPolicy(value: JsonValue): Result<Policy, "policy_invalid"> {
  return attempt("policy_invalid", () => {
    checkSize(value);
    const required = ["policy", "timezone", "default", "rules"];
    const members = readMembers(value, "the policy", required, ["version"]);
    const { version } = members;
    return Object.freeze({
      policy: readChoice(members.policy, "policy", ["rules/1"]),
      ...(version !== undefined && { version: readWhole(version, "version", 1) }),
      timezone: readTimezone(members.timezone),
      default: readChoice(members.default, "default", ["deny", "escalate"]),
      rules: readRules(members.rules),
    });
  });
}

/**
 * What names a policy document in records: hex SHA-256 of its JCS text.
 *
 * @example
 * (await policyDigest({ policy: "rules/1" })).slice(0, 8); //=> "e0977d62"
 */
export async function policyDigest(document: JsonValue): Promise<string> {
  return toHex(await sha256(canonicalBytes(document)));
}
