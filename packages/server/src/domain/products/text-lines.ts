/** Longest line of a list, and longest row of a table, in characters. */
export const LINE_CHARS_MAX = 64 * 1024;

/** One line of a text, without its line feed. */
export interface TextLine {
  readonly line: number;
  /** Only the beginning of a line that is too long. */
  readonly text: string;
  readonly isTooLong: boolean;
}

/** Lets other work run. */
export const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

function textLine(line: number, text: string): TextLine {
  return { line, text: text.slice(0, LINE_CHARS_MAX), isTooLong: text.length > LINE_CHARS_MAX };
}

/** Numbered lines of text. The rest of a line that is too long is not kept. */
export async function* textLines(pieces: AsyncIterable<string>): AsyncGenerator<TextLine> {
  let rest = "";
  let line = 1;
  /** The line was too long and has been passed on, so the rest of it is dropped. */
  let dropping = false;
  for await (const piece of pieces) {
    const [first = "", ...others] = piece.split("\n");
    rest = dropping ? "" : rest + first;
    for (const next of others) {
      if (!dropping) yield textLine(line, rest);
      dropping = false;
      rest = next;
      line++;
    }
    if (rest.length > LINE_CHARS_MAX) {
      yield textLine(line, rest);
      dropping = true;
      rest = "";
    }
  }
  if (rest !== "") yield textLine(line, rest);
}

/** The same text with the line breaks of old Mac programs, a carriage return alone, as line feeds. */
export async function* withLineFeeds(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let wasReturn = false;
  for await (const piece of pieces) {
    const text = wasReturn && piece.startsWith("\n") ? piece.slice(1) : piece;
    if (piece !== "") wasReturn = piece.endsWith("\r");
    yield text.replaceAll(/\r\n?/g, "\n");
  }
}

/**
 * The beginning of a text, up to the end of its first line and one character more: a carriage return alone ends the
 * line in some files. Also returns the whole text.
 */
export async function withFirstLine(
  text: AsyncIterable<string>,
): Promise<{ readonly head: string; readonly whole: AsyncIterable<string> }> {
  const rest = text[Symbol.asyncIterator]();
  let head = "";
  let last = "";
  while (head.length <= LINE_CHARS_MAX) {
    const next = await rest.next();
    if (next.done === true) break;
    head += next.value;
    if (/\n|\r[^]/.test(last + next.value)) break;
    last = next.value.slice(-1) || last;
  }
  async function* all() {
    yield head;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  return { head, whole: all() };
}
