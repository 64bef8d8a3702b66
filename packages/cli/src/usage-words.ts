import { isSiteKeyHash } from "@gatehouse/protocol";
import { plainText } from "./terminal.js";

const OPTION = /^option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\. (.*)$/;
const ARGUMENT = /^command-argument value '(.*)' is invalid for argument '(.*)'\. (.*)$/;

function sentence(text: string): string {
  const [first = "", ...rest] = text;
  return `${first.toUpperCase()}${rest.join("")}${/[.?!]$/.test(text) ? "" : "."}`;
}

/** Stands before an argument that begins with a dash and is no option. Nobody types it. */
export const DASH_MARK = "\u0001";

/** What the grammar did not understand, said as every other error: a sentence, then what to do. */
export function usageWords(text: string): string {
  const [first = "", ...more] = text.replaceAll(DASH_MARK, "").trimEnd().split("\n").map(plainText);
  const message = first.replace(/^error: /, "");
  const [, option, given, wanted] = OPTION.exec(message) ?? [];
  if (option !== undefined) return `${option}: ${given} is not valid.\n${wanted}`;
  const [, value, name, right] = ARGUMENT.exec(message) ?? [];
  if (value !== undefined) return `<${name}>: ${value} is not valid.\n${right}`;
  const [, flag = ""] = /^unknown option '(.*)'$/.exec(message) ?? [];
  // Behind an option it may be that option's value.
  if (isSiteKeyHash(flag)) {
    return `${flag} looks like an option because it begins with a dash.\nWrite it before the options.`;
  }
  return [sentence(message), ...more.map((line) => line.replace(/^\((.*)\)$/, "$1"))].join("\n");
}
