import { readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** A fenced block of a guide. */
export interface Block {
  readonly guide: string;
  /** Of its first line, as an editor counts. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** The file a reader keeps it in, where the guide says one. */
  readonly file?: string;
  /** Whether it says that itself, as programs do. */
  readonly isProgram?: boolean;
}

export interface Guide {
  /** From the root of the repository. */
  readonly path: string;
  readonly name: string;
  /** The guide whose last command was typed just before, where it says so; else all begins anew. */
  readonly follows?: string;
  readonly blocks: readonly Block[];
}

/** One command line, as it stands in a guide. */
export interface Command {
  readonly at: string;
  readonly text: string;
}

const FENCE = /^( *)```(\w*)$/;
const FILE = String.raw`([\w-]+\.[a-z]+)`;
/** “`products.csv` holds what you sell”: the paragraph above begins with the name. */
const FILE_ABOVE = new RegExp(`^ *\`${FILE}\``);
/** “// verify.ts: how it is run”: a program says its own name first. */
const FILE_INSIDE = new RegExp(`^(?:#|//) ${FILE}(?::|$)`);
const FOLLOWS = /\b[Ff]irst follow \[[^\]]+\]\(([\w-]+)\.md\)/;

/** The first line of the paragraph that ends just above. */
function paragraphAbove(lines: readonly string[], fence: number): string {
  let last = fence - 1;
  while (lines[last]?.trim() === "") last -= 1;
  let first = last;
  while (first > 0 && lines[first - 1]?.trim() !== "") first -= 1;
  return lines[first] ?? "";
}

function* blocksOf(guide: string, lines: readonly string[]): Generator<Block> {
  for (let at = 0; at < lines.length; at += 1) {
    const [, indent = "", language] = FENCE.exec(lines[at] ?? "") ?? [];
    if (language === undefined) continue;
    const end = lines.indexOf(`${indent}\`\`\``, at + 1);
    const text = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    const inside = FILE_INSIDE.exec(text[0] ?? "");
    const named = inside ?? (language === "sh" ? null : FILE_ABOVE.exec(paragraphAbove(lines, at)));
    const file = named?.[1];
    yield {
      guide,
      line: at + 2,
      language,
      text: text.join("\n"),
      ...(file === undefined ? {} : { file, isProgram: inside !== null }),
    };
    at = end;
  }
}

export function readGuide(root: string, path: string): Guide {
  const text = readFileSync(join(root, path), "utf8");
  const follows = FOLLOWS.exec(text.replace(/\s+/g, " "))?.[1];
  return {
    path,
    name: basename(path, ".md"),
    blocks: [...blocksOf(path, text.split("\n"))],
    ...(follows === undefined ? {} : { follows }),
  };
}

/** Without the remark at its end; a `#` inside quotes is none. */
function withoutRemark(line: string): string {
  const [command = ""] = /^(?:'[^']*'|"[^"]*"|\\.|(?<=\S)#|[^'"\\#])*/.exec(line) ?? [];
  return command.trimEnd();
}

/** The commands of a block: one a line, longer ones with a backslash at the end. */
export function* commandsOf({ guide, line, text }: Block): Generator<Command> {
  let begun = "";
  let first = line;
  for (const [index, own] of text.split("\n").entries()) {
    if (begun === "") first = line + index;
    const whole = begun + own;
    begun = "";
    if (/\\$/.test(whole)) begun = whole.replace(/ *\\$/, " ");
    else if (withoutRemark(whole) !== "") {
      yield { at: `${guide}:${first}`, text: withoutRemark(whole).replace(/ {2,}/g, " ") };
    }
  }
}
