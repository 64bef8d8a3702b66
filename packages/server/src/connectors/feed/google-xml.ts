import { SaxesParser, type SaxesTagNS } from "saxes";
import {
  type ProductLine,
  textOf,
  UnreadableListError,
} from "../../domain/products/product-lines.js";
import { attributeName, type FieldContext, fromGoogle } from "./google-fields.js";

const GOOGLE = "http://base.google.com/ns/1.0";
/** An attribute that an item can have several times. */
const MORE_PICTURES = "additional_image_link";
/** Characters given to the parser at once. */
const PIECE_CHARS = 16 * 1024;
/** Most characters of one item, with the names of its elements, and of anything between two tags. */
const ITEM_CHARS_MAX = 64 * 1024;
/** Elements inside each other. Feeds have five. */
const DEPTH_MAX = 32;
const MESSAGE_CHARS_MAX = 200;

interface Item {
  readonly line: number;
  /** How deep its element is. */
  readonly depth: number;
  readonly attributes: Record<string, string>;
  chars: number;
}

/** The child of an item that is being read. */
interface Child {
  readonly name: string;
  readonly isGoogle: boolean;
  text: string;
}

/**
 * Collects the items of a feed: RSS 2.0 or Atom, with attributes in Google's namespace. Entities that a document
 * type declares are not known, so a feed that uses one is refused, and none can grow.
 */
class FeedParser {
  readonly items: ProductLine[] = [];
  private readonly parser = new SaxesParser({ xmlns: true, position: true });
  private readonly context: FieldContext;
  private depth = 0;
  private item: Item | undefined;
  private child: Child | undefined;
  /** Names in Google's namespace, which win over RSS's own. */
  private google = new Set<string>();
  private sinceEvent = 0;
  private isFeed = false;

  constructor(context: FieldContext) {
    this.context = context;
    this.parser.on("error", ({ message }) => this.fail(message));
    this.parser.on("opentag", (tag) => this.open(tag));
    this.parser.on("text", (text) => this.text(text));
    this.parser.on("cdata", (text) => this.text(text));
    this.parser.on("closetag", () => this.close());
  }

  write(piece: string): void {
    this.sinceEvent += piece.length;
    this.parser.write(piece);
    // Between two tags the parser keeps everything: a text without end would fill the memory.
    if (this.sinceEvent > ITEM_CHARS_MAX + PIECE_CHARS) this.fail("a text or tag is too long");
  }

  end(): void {
    this.parser.close();
    if (!this.isFeed) {
      throw new UnreadableListError("The XML file has no items. Use an RSS 2.0 or Atom feed.");
    }
  }

  private fail(message: string): never {
    const [first = ""] = message.split("\n");
    const where = /^\d+:\d+: /.test(first) ? first.replace(/^(\d+):\d+: /, "line $1: ") : first;
    throw new UnreadableListError(`The XML cannot be read: ${where.slice(0, MESSAGE_CHARS_MAX)}`);
  }

  private open({ name, local, uri, attributes }: SaxesTagNS): void {
    this.sinceEvent = 0;
    if (++this.depth > DEPTH_MAX) this.fail("elements are nested too deeply");
    if (local === "channel" || local === "feed" || local === "rss") this.isFeed = true;
    if (this.item === undefined) {
      if ((local === "item" || local === "entry") && uri !== GOOGLE) {
        this.isFeed = true;
        const { line } = this.parser;
        this.item = { line, depth: this.depth, attributes: {}, chars: 0 };
        this.google = new Set();
      }
      return;
    }
    this.item.chars += name.length;
    if (this.depth !== this.item.depth + 1) return;
    // Atom has the address in an attribute.
    const { href, rel } = attributes;
    const isAlternate = rel === undefined || rel.value === "alternate";
    const text = local === "link" && isAlternate ? (href?.value ?? "") : "";
    this.item.chars += text.length;
    this.child = { name: attributeName(local), isGoogle: uri === GOOGLE, text };
  }

  private text(text: string): void {
    this.sinceEvent = 0;
    if (this.item === undefined) return;
    this.item.chars += text.length;
    const isDirect = this.depth === this.item.depth + 1;
    if (isDirect && this.child !== undefined && this.item.chars <= ITEM_CHARS_MAX) {
      this.child.text += text;
    }
  }

  private close(): void {
    this.sinceEvent = 0;
    const { item, child, depth } = this;
    this.depth--;
    if (item === undefined) return;
    const { line, attributes, chars } = item;
    // A child that goes over the limit was cut.
    const isTooLong = chars > ITEM_CHARS_MAX;
    if (depth === item.depth + 1 && child !== undefined) {
      if (!isTooLong) this.keep(attributes, child);
      this.child = undefined;
    }
    if (depth !== item.depth) return;
    this.item = undefined;
    const problem = `has more than ${ITEM_CHARS_MAX} characters`;
    this.items.push(
      isTooLong
        ? { kind: "problem", line, problem, id: attributes.id ?? null }
        : { kind: "value", line, value: fromGoogle(attributes, this.context) },
    );
  }

  private keep(attributes: Record<string, string>, { name, isGoogle, text }: Child): void {
    const value = text.trim();
    // Of pictures besides the first one there can be several.
    if (name === MORE_PICTURES && isGoogle && this.google.has(name) && value !== "") {
      attributes[name] += ` ${value}`;
      return;
    }
    const isKnown = Object.hasOwn(attributes, name);
    // The first of several pictures or shipping prices counts.
    if (value === "" || (isKnown && (!isGoogle || this.google.has(name)))) return;
    if (isGoogle) this.google.add(name);
    // Atom's name for the description.
    attributes[name === "summary" ? "description" : name] = value;
  }
}

/** The items of an XML feed, as they arrive. */
export async function* googleXmlItems(
  bytes: AsyncIterable<Uint8Array>,
  context: FieldContext,
): AsyncGenerator<ProductLine> {
  const parser = new FeedParser(context);
  for await (const text of textOf(bytes)) {
    for (let at = 0; at < text.length; at += PIECE_CHARS) {
      parser.write(text.slice(at, at + PIECE_CHARS));
      yield* parser.items.splice(0);
    }
  }
  parser.end();
  yield* parser.items.splice(0);
}
