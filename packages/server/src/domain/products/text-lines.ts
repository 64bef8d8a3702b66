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

/** Numbers the lines of a text that arrives in pieces. The rest of a line that is too long is not kept. */
class LineReader {
  private rest = "";
  private line = 1;
  /** The line was too long and has been passed on, so the rest of it is dropped. */
  private dropping = false;

  /** The lines that end in this piece. They have to be taken before the next piece. */
  *read(piece: string): Generator<TextLine> {
    let at = 0;
    for (let end = piece.indexOf("\n"); end !== -1; end = piece.indexOf("\n", at)) {
      const text = this.rest + piece.slice(at, end);
      this.rest = "";
      if (!this.dropping) yield textLine(this.line, text);
      this.dropping = false;
      this.line++;
      at = end + 1;
    }
    if (!this.dropping) this.rest += piece.slice(at);
    if (this.rest.length <= LINE_CHARS_MAX) return;
    this.dropping = true;
    yield textLine(this.line, this.rest);
    this.rest = "";
  }

  *end(): Generator<TextLine> {
    if (this.rest !== "") yield textLine(this.line, this.rest);
  }
}

/** The lines of a text, those together that end in one piece of it. */
export async function* textLines(
  pieces: AsyncIterable<string>,
): AsyncGenerator<Iterable<TextLine>> {
  const reader = new LineReader();
  for await (const piece of pieces) yield reader.read(piece);
  yield reader.end();
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
 * The beginning of a text, up to the end of its first line that is not empty and one character more: a carriage return
 * alone ends the line in some files. Also returns the whole text.
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
    if (/[^\r\n](?:\n|\r.)/s.test(last + next.value)) break;
    last = (last + next.value).slice(-2);
  }
  async function* all() {
    yield head;
    yield* { [Symbol.asyncIterator]: () => rest };
  }
  return { head, whole: all() };
}
