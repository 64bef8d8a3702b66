import type { JsonValue } from "../json/value.js";
import { policyDurationMs } from "./duration.js";
import {
  fail,
  readChoice,
  readList,
  readMembers,
  readPattern,
  readSingle,
  readText,
  readWhole,
  shown,
} from "./members.js";
import type { Condition, PolicyEscalation, PolicyRule } from "./model.js";
import { FACT_READERS } from "./operators.js";

/** How many of `all`, `any` and `not` may stand inside each other. */
export const POLICY_DEPTH_MAX = 3;

const TITLE_CHARS_MAX = 120;
const APPROVALS_MAX = 10;
const EXPIRES_MIN = "PT5M";
const EXPIRES_MAX = "P7D";
const ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const ID_WORDS = "1 to 64 lowercase letters, digits, - and _, beginning with a letter or a digit";

function readTitle(value: JsonValue | undefined, place: string): string {
  const title = readText(value, place);
  if (title.length > TITLE_CHARS_MAX) {
    fail(place, `must have at most ${TITLE_CHARS_MAX} characters`);
  }
  // Titles are shown in terminals.
  if (/\p{Cc}/u.test(title)) fail(place, "must not contain control characters");
  return title;
}

function readEscalation(value: JsonValue | undefined, place: string): PolicyEscalation {
  const members = readMembers(value, place, ["expires_in"], ["group", "approvals"]);
  const { group, approvals } = members;
  const expires_in = readText(members.expires_in, `${place}.expires_in`);
  const ms = policyDurationMs(expires_in);
  const [min = 0, max = 0] = [EXPIRES_MIN, EXPIRES_MAX].map(policyDurationMs);
  if (ms === undefined || ms < min || ms > max) {
    fail(`${place}.expires_in`, `must be a duration from ${EXPIRES_MIN} to ${EXPIRES_MAX}`);
  }
  return Object.freeze({
    expires_in,
    ...(group !== undefined && { group: readPattern(group, `${place}.group`, ID, ID_WORDS) }),
    ...(approvals !== undefined && {
      approvals: readWhole(approvals, `${place}.approvals`, 1, APPROVALS_MAX),
    }),
  });
}

/** Reads a `when`, or one of the conditions inside it; `depth` combinators stand around it. */
function readCondition(value: JsonValue | undefined, place: string, depth = 0): Condition {
  const [name, operand] = readSingle(value, place);
  const at = `${place}.${name}`;
  if (name !== "all" && name !== "any" && name !== "not") {
    const read = FACT_READERS.get(name);
    if (read !== undefined) return read(operand, at);
    const known = [...FACT_READERS.keys(), "all", "any", "not"].join(", ");
    fail(place, `${shown(name)} is not a fact; use one of ${known}`);
  }
  if (depth === POLICY_DEPTH_MAX) fail(at, `is nested deeper than ${POLICY_DEPTH_MAX} levels`);
  if (name === "not") {
    return Object.freeze({ kind: name, condition: readCondition(operand, at, depth + 1) });
  }
  const inner = readList(operand, at);
  const conditions = inner.map((item, i) => readCondition(item, `${at}[${i}]`, depth + 1));
  return Object.freeze({ kind: name, conditions: Object.freeze(conditions) });
}

/** Reads one entry of `rules`. */
export function readRule(value: JsonValue, place: string): PolicyRule {
  const optional = ["title", "mode", "escalation"];
  const { id, title, effect, mode, when, escalation } = readMembers(
    value,
    place,
    ["id", "effect", "when"],
    optional,
  );
  if (escalation !== undefined && effect !== "escalate") {
    fail(`${place}.escalation`, "is allowed only in a rule whose effect is escalate");
  }
  return Object.freeze({
    id: readPattern(id, `${place}.id`, ID, ID_WORDS),
    ...(title !== undefined && { title: readTitle(title, `${place}.title`) }),
    effect: readChoice(effect, `${place}.effect`, ["allow", "deny", "escalate"]),
    ...(mode !== undefined && { mode: readChoice(mode, `${place}.mode`, ["monitor"]) }),
    when: readCondition(when, `${place}.when`),
    ...(escalation !== undefined && {
      escalation: readEscalation(escalation, `${place}.escalation`),
    }),
  });
}
