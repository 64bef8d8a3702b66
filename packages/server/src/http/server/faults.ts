import { z } from "@hono/zod-openapi";

/** Faults of one body that are told one by one; the rest is counted. */
const TOLD_MAX = 5;
/** Characters of a name the caller made up that are repeated. */
const NAME_CHARS_MAX = 40;
/** Names that are told as known in one place. */
const KNOWN_MAX = 20;

type Issue = z.core.$ZodIssue;

/** A name the caller made up, cut and cleaned: nothing in it can be taken for anything but a name. */
function told(name: string): string {
  const cut = name.length > NAME_CHARS_MAX ? `${name.slice(0, NAME_CHARS_MAX)}...` : name;
  return cut.replace(/[^\w .-]/g, "?");
}

/** An object that takes these fields and no others; it names those it takes where another comes. */
export function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const names = Object.keys(shape);
  const some = names.slice(0, KNOWN_MAX).join(", ");
  const more = names.length > KNOWN_MAX ? `, and ${names.length - KNOWN_MAX} more` : "";
  const known = names.length === 0 ? "no field is" : `known are ${some}${more}`;
  return z.strictObject(shape, {
    error: ({ code }) => (code === "unrecognized_keys" ? known : undefined),
  });
}

function placeOf(path: readonly PropertyKey[]): string {
  return path.length === 0 ? "the body" : path.map((part) => told(String(part))).join(".");
}

/** What is wrong in one place, in words. */
function wordsOf(issue: Issue): string {
  const { code, message } = issue;
  if (code === "invalid_type" && message.endsWith("received undefined")) return "is missing";
  if (code === "too_small" && issue.origin !== "number" && issue.minimum === 1) {
    return "must not be empty";
  }
  // Why a key does not fit is said where the key is described.
  if (code === "invalid_key") return issue.issues[0]?.message ?? message;
  return message;
}

function sentencesOf(issue: Issue): string[] {
  if (issue.code !== "unrecognized_keys") return [`${placeOf(issue.path)}: ${wordsOf(issue)}.`];
  return issue.keys.map((key) => {
    const place = placeOf([...issue.path, key]);
    return `${place}: is not known here; ${issue.message}.`;
  });
}

/** What is wrong with a body or a query, in words: the first of it one by one, the rest counted. */
export function describeFaults(issues: readonly Issue[]): string {
  const all = issues.flatMap(sentencesOf);
  if (all.length === 0) return "The request is not as this route expects.";
  const rest = all.length - TOLD_MAX;
  const more = rest > 0 ? [`And ${rest} more.`] : [];
  return [...all.slice(0, TOLD_MAX), ...more].join(" ");
}
