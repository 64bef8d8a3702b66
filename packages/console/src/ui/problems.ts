import { Refused } from "../api/client.js";

/** One thing that is wrong: the path of the value in the request, and why. */
interface Problem {
  readonly path: string;
  readonly why: string;
}

/** What a form says about a path, such as `taxes.*.percent`. `*` stands for a place in a list. */
export type Wording = Readonly<Record<string, string>>;

/** A value that the page itself refuses, before it asks the service. */
export class Unfit extends Error {
  override readonly name = "Unfit";
  readonly path: string;

  constructor(path: string, sentence: string) {
    super(sentence);
    this.path = path;
  }
}

const NEXT_PROBLEM = /(?<=^|[.!] )(?=[a-z_][\w*]*(?:\.[\w*-]+)*: )/;
const PROBLEM = /^([a-z_][\w*]*(?:\.[\w*-]+)*): (.+)$/s;

/** The problems that an error names. Undefined if it is about something else. */
function problemsOf(error: unknown): readonly Problem[] | undefined {
  if (error instanceof Unfit) return [{ path: error.path, why: error.message }];
  if (!(error instanceof Refused)) return undefined;
  const matches = error.message.split(NEXT_PROBLEM).map((text) => PROBLEM.exec(text.trim()));
  if (matches.some((one) => one === null)) return undefined;
  return matches.map((one) => ({ path: one?.[1] ?? "", why: one?.[2] ?? "" }));
}

export const HTTPS = "Enter an https:// address.";
const MISSING = "Fill in this field.";

/** What the service says about a value, as a sentence of a form. */
function plainSentence(why: string): string {
  if (/^(?:is missing|must not be empty)\b/.test(why)) return MISSING;
  if (/https/.test(why)) return HTTPS;
  const text = why.replace(/;.*$/s, "").replaceAll("`", "").replace(/\.*$/, ".");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The path and everything above it, the longest first. */
function pathsUpFrom(path: string): readonly string[] {
  const parts = path.split(".");
  return parts.map((_, place) => parts.slice(0, parts.length - place).join("."));
}

const pattern = (path: string) => path.replace(/\.\d+(?=\.|$)/g, ".*");

function sentenceOf({ path, why }: Problem, wording: Wording): string {
  const known = pathsUpFrom(path).find((one) => wording[pattern(one)] !== undefined);
  return (known && wording[pattern(known)]) ?? plainSentence(why);
}

/** An error as a form shows it: sentences beside its fields, and what belongs to no field. */
export interface ShownProblems {
  readonly beside: Readonly<Record<string, string>>;
  readonly rest: unknown;
}

/** Places what an error names beside the fields of a form, which are known by the paths of their values. */
export function placeProblems(
  error: unknown,
  fields: ReadonlySet<string>,
  wording: Wording,
): ShownProblems {
  const problems = problemsOf(error);
  if (problems === undefined) return { beside: {}, rest: error };
  const beside: Record<string, string> = {};
  const others: string[] = [];
  for (const problem of problems) {
    const field = pathsUpFrom(problem.path).find((path) => fields.has(path));
    const sentence = sentenceOf(problem, wording);
    if (field === undefined) others.push(sentence);
    else beside[field] ??= sentence;
  }
  return { beside, rest: others.length === 0 ? null : new Error([...new Set(others)].join(" ")) };
}

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** What is wrong with a value that the browser refuses, in the words of the form. */
export function validitySentence(control: Control, wording: Wording): string {
  const { validity, type, title } = control;
  if (validity.valueMissing) return wording[pattern(control.name)] ?? MISSING;
  if (type === "url") return HTTPS;
  if (type === "email") return "Enter an email address such as name@example.com.";
  if (validity.patternMismatch && title !== "") return title;
  const { min = "", max = "" } = control as { min?: string; max?: string };
  if (validity.rangeUnderflow || validity.rangeOverflow) {
    return max === "" ? `Enter ${min} or more.` : `Enter a number from ${min || "0"} to ${max}.`;
  }
  return wording[pattern(control.name)] ?? "Check this value.";
}
