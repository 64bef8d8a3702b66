import { z } from "@hono/zod-openapi";

/** Issues of one body that a message names; the rest is counted. */
const ISSUES_SHOWN_MAX = 5;
/** Characters of a caller's name for something that a message repeats. */
const NAME_CHARS_MAX = 40;
/** Known fields that a message lists. */
const FIELDS_SHOWN_MAX = 20;

type Issue = z.core.$ZodIssue;

/** A name that the caller chose, shortened and without characters that could pass for something else. */
function safeName(name: string): string {
  const cut = name.length > NAME_CHARS_MAX ? `${name.slice(0, NAME_CHARS_MAX)}...` : name;
  return cut.replace(/[^\w .-]/g, "?");
}

/** An object with these fields and no others. The message about an unknown field lists the known ones. */
export function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const names = Object.keys(shape);
  const some = names.slice(0, FIELDS_SHOWN_MAX).join(", ");
  const more =
    names.length > FIELDS_SHOWN_MAX ? `, and ${names.length - FIELDS_SHOWN_MAX} more` : "";
  const known = names.length === 0 ? "no fields are allowed" : `use ${some}${more}`;
  return z.strictObject(shape, {
    error: ({ code }) => (code === "unrecognized_keys" ? known : undefined),
  });
}

function memberPath(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "the body" : path.map((part) => safeName(String(part))).join(".");
}

/** What is wrong in one place. */
function wordsOf(issue: Issue): string {
  const { code, message } = issue;
  if (code === "invalid_type" && message.endsWith("received undefined")) return "is missing";
  if (code === "too_small" && issue.origin !== "number" && issue.minimum === 1) {
    return "must not be empty";
  }
  // The schema of the key says why it does not fit.
  if (code === "invalid_key") return issue.issues[0]?.message ?? message;
  return message;
}

function sentencesOf(issue: Issue): string[] {
  if (issue.code !== "unrecognized_keys") return [`${memberPath(issue.path)}: ${wordsOf(issue)}.`];
  return issue.keys.map((key) => {
    const place = memberPath([...issue.path, key]);
    return `${place}: is an unknown field; ${issue.message}.`;
  });
}

/** What is wrong with a body or a query: the first issues in sentences, then how many more there are. */
export function describeIssues(issues: readonly Issue[]): string {
  const all = issues.flatMap(sentencesOf);
  if (all.length === 0) return "The request does not match the OpenAPI document of this route.";
  const rest = all.length - ISSUES_SHOWN_MAX;
  const more = rest > 0 ? [`And ${rest} more.`] : [];
  return [...all.slice(0, ISSUES_SHOWN_MAX), ...more].join(" ");
}
