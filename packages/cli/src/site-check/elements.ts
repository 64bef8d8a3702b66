import { type Token, type TokenHandler, Tokenizer, TokenizerMode } from "parse5";

type Attributes = ReadonlyMap<string, string>;

/** Elements whose content is text, whatever it looks like. */
const RAW_TEXT: Readonly<Record<string, Tokenizer["state"]>> = {
  script: TokenizerMode.SCRIPT_DATA,
  style: TokenizerMode.RAWTEXT,
  noscript: TokenizerMode.RAWTEXT,
  iframe: TokenizerMode.RAWTEXT,
  xmp: TokenizerMode.RAWTEXT,
  noframes: TokenizerMode.RAWTEXT,
  title: TokenizerMode.RCDATA,
  textarea: TokenizerMode.RCDATA,
};

class Elements implements TokenHandler {
  readonly attributes: Attributes[] = [];
  private readonly name: string;
  readonly tokenizer = new Tokenizer({}, this);

  constructor(name: string) {
    this.name = name;
  }

  onStartTag({ tagName, attrs }: Token.TagToken): void {
    const raw = RAW_TEXT[tagName];
    if (raw !== undefined) this.tokenizer.state = raw;
    if (tagName !== this.name) return;
    this.attributes.push(new Map(attrs.map(({ name, value }) => [name, value])));
  }

  onEndTag(): void {}
  onCharacter(): void {}
  onNullCharacter(): void {}
  onWhitespaceCharacter(): void {}
  onComment(): void {}
  onDoctype(): void {}
  onEof(): void {}
}

/**
 * The elements of a name on a page, by their attributes; what stands in comments and texts is none.
 * Token by token: a tree can be made to take minutes to build.
 */
export function elementsOf(html: string, name: string): readonly Attributes[] {
  const elements = new Elements(name);
  elements.tokenizer.write(html, true);
  return elements.attributes;
}
