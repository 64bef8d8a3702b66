import { type Token, type TokenHandler, Tokenizer, TokenizerMode } from "parse5";

/** Elements that may be in a head. Any other tag, or text, opens the body. */
const RAW_TEXT: Readonly<Record<string, Tokenizer["state"]>> = {
  script: TokenizerMode.SCRIPT_DATA,
  style: TokenizerMode.RAWTEXT,
  noscript: TokenizerMode.RAWTEXT,
  noframes: TokenizerMode.RAWTEXT,
  title: TokenizerMode.RCDATA,
};
const HEAD_TAGS = new Set([
  "html",
  "head",
  "meta",
  "link",
  "base",
  "template",
  ...Object.keys(RAW_TEXT),
]);
/** Pages are read in pieces, so that reading stops after the head and the length of a tag is limited. */
const PIECE_CHARS = 1024;
const CHARS_WITHOUT_TOKEN_MAX = 8192;

/** Collects the metas of the head token by token, without building a tree. */
class HeadReader implements TokenHandler {
  readonly contents: string[] = [];
  done = false;
  tokens = 0;
  private templates = 0;
  private rawText = false;
  private readonly name: string;
  readonly tokenizer = new Tokenizer({}, this);

  constructor(name: string) {
    this.name = name;
  }

  onStartTag({ tagName, attrs }: Token.TagToken): void {
    this.tokens++;
    if (this.done) return;
    if (tagName === "template") this.templates++;
    if (this.templates > 0) return;
    if (!HEAD_TAGS.has(tagName)) return void this.end();
    const raw = RAW_TEXT[tagName];
    if (raw !== undefined) {
      this.tokenizer.state = raw;
      this.rawText = true;
    }
    if (tagName === "meta") this.readMeta(attrs);
  }

  private readMeta(attrs: readonly Token.Attribute[]): void {
    const value = (name: string) => attrs.find((attribute) => attribute.name === name)?.value;
    if (value("name")?.toLowerCase() !== this.name) return;
    this.contents.push((value("content") ?? "").trim());
  }

  onEndTag({ tagName }: Token.TagToken): void {
    this.tokens++;
    if (tagName === "template") this.templates = Math.max(0, this.templates - 1);
    else if (this.rawText) this.rawText = false;
    else if (this.templates === 0 && ["head", "body", "html", "br"].includes(tagName)) this.end();
  }

  onCharacter(): void {
    this.tokens++;
    if (!this.rawText && this.templates === 0) this.end();
  }

  onNullCharacter(): void {
    this.onCharacter();
  }

  onWhitespaceCharacter(): void {
    this.tokens++;
  }

  onComment(): void {
    this.tokens++;
  }

  onDoctype(): void {
    this.tokens++;
  }

  onEof(): void {
    this.end();
  }

  private end(): void {
    this.done = true;
  }
}

/**
 * The `content` of the metas with a name in the head of a page, as a browser would read it. Strangers write
 * the page, so the time must be linear in its length; a tree builder can be made to work for minutes.
 */
export function headMetaContents(html: string, name: string): readonly string[] {
  const reader = new HeadReader(name);
  let seenTokens = 0;
  let quiet = 0;
  for (let at = 0; at < html.length && !reader.done; at += PIECE_CHARS) {
    reader.tokenizer.write(html.slice(at, at + PIECE_CHARS), at + PIECE_CHARS >= html.length);
    quiet = reader.tokens === seenTokens ? quiet + PIECE_CHARS : 0;
    seenTokens = reader.tokens;
    if (quiet > CHARS_WITHOUT_TOKEN_MAX) break;
  }
  return reader.contents;
}
