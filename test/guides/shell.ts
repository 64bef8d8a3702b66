/** A command line without anything that only a shell understands. */
export interface PlainLine {
  /** What it sets: for the command, or for all that follow where there is none. */
  readonly set: Readonly<Record<string, string>>;
  readonly words: readonly string[];
  /** Where its output goes. */
  readonly into?: string;
}

const PIECE = /\s*(?:(>)|((?:'[^']*'|"[^"$`\\]*"|[^\s'"$`\\|&;<>*?()[\]{}~])+))/y;
const ASSIGNMENT = /^([A-Z_]+)=(.*)$/s;

const unquoted = (piece: string) => piece.replace(/'([^']*)'|"([^"]*)"/g, "$1$2");

/** Reads a command line; undefined where it needs a shell. */
export function readLine(text: string): PlainLine | undefined {
  const words: string[] = [];
  const set: Record<string, string> = {};
  let into: string | undefined;
  let redirected = false;
  const piece = new RegExp(PIECE);
  while (piece.lastIndex < text.length) {
    const [, arrow, raw = ""] = piece.exec(text) ?? [undefined, undefined];
    if (arrow === undefined && raw === "") return undefined;
    const word = unquoted(raw);
    const [, name, value = ""] = words.length === 0 ? (ASSIGNMENT.exec(word) ?? []) : [];
    if (arrow !== undefined) redirected = true;
    else if (redirected) into = word;
    else if (name !== undefined) set[name] = value;
    else words.push(word);
  }
  return { set, words, ...(into === undefined ? {} : { into }) };
}

/** What follows the name of our command, if it is ours. */
export function ownArguments(words: readonly string[]): readonly string[] | undefined {
  const rest = words[0] === "npx" ? words.slice(1) : words;
  return rest[0] === "gatehouse" ? rest.slice(1) : undefined;
}
