import { canonicalize, isJsonObject, type JsonValue } from "@gatehouse/protocol";
import { type ProductsMessage, readChanges } from "@gatehouse/server/connector";
import type { SentRules } from "./sent-rules.js";

type Message = ReturnType<typeof ProductsMessage.parse>;

interface KnownProduct {
  readonly version: number;
  /** Its fields without the version. */
  readonly text: string;
}

function fieldsOf(value: JsonValue): string {
  const { version: _, ...fields } = isJsonObject(value) ? value : {};
  return canonicalize(fields);
}

/** Takes messages about products as Gatehouse does. The first one is rejected, so that it has to be sent again. */
export class SentProducts {
  private readonly rules: SentRules;
  private readonly known = new Map<string, KnownProduct>();
  /** The ids of the rejected message; undefined before there was one. */
  private missing: Set<string> | undefined;
  private list = { id: "", parts: new Set<number>(), last: 0 };

  constructor(rules: SentRules) {
    this.rules = rules;
  }

  /** The answer to a message; undefined if it is rejected. */
  take(message: Message, now: number): object | undefined {
    const { changes, problems } = readChanges(message, now);
    const [first] = problems;
    if (first !== undefined) this.rules.fault("stored", `Product ${first.id}: ${first.problem}.`);
    else if (changes.length > 0) this.rules.keep("stored");
    const ids = changes.map(({ productId }) => productId);
    if (this.missing === undefined) {
      if (ids.length === 0) return this.answer(0, 0, problems);
      this.missing = new Set(ids);
      return undefined;
    }
    for (const id of ids) this.missing.delete(id);
    if (this.missing.size === 0) this.rules.keep("repeated");
    this.noteList(message.sync);
    const texts = new Map(
      message.products.map((value) => [
        isJsonObject(value) ? String(value.id) : "",
        fieldsOf(value),
      ]),
    );
    for (const { productId, version } of changes) {
      this.noteVersion(productId, { version, text: texts.get(productId) ?? "removed" });
    }
    const removed = changes.filter(({ product }) => product === null).length;
    return this.answer(changes.length - removed, removed, problems);
  }

  private answer(stored: number, removed: number, problems: readonly object[]): object {
    return { type: "products.answer", stored, ignored: 0, removed, problems };
  }

  private noteVersion(id: string, product: KnownProduct): void {
    const before = this.known.get(id);
    const isChanged = before !== undefined && before.text !== product.text;
    // A lower version is an old message that arrives late, which is no fault.
    if (isChanged && product.version > before.version) this.rules.keep("versions");
    else if (isChanged && product.version === before.version) {
      const problem = `Product ${id} has changed, but its version ${product.version} is the same as before.`;
      this.rules.fault("versions", problem);
    }
    if (before === undefined || product.version > before.version) this.known.set(id, product);
  }

  private noteList(sync: Message["sync"]): void {
    if (sync === null) return;
    if (this.list.id !== sync.id) this.list = { id: sync.id, parts: new Set(), last: 0 };
    const { list } = this;
    list.parts.add(sync.part);
    if (sync.last) list.last = sync.part;
    if (list.last === 0) return;
    if (Math.max(...list.parts) > list.last) {
      this.rules.fault("list", `Part ${list.last} is marked as the last one, but there are more.`);
    } else if (list.parts.size === list.last) this.rules.keep("list");
  }
}
