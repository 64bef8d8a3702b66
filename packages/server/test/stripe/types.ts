import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parseSync } from "vite";

/** A JSON schema. */
export type Schema = boolean | { readonly [name: string]: unknown };

/** The members of a syntax tree's nodes that are read here. */
interface Node {
  readonly type: string;
  readonly id?: { readonly name: string };
  readonly name?: string;
  readonly declaration?: Node | null;
  readonly body?: Node | readonly Node[] | { readonly body: readonly Node[] };
  readonly key?: { readonly name: string };
  readonly optional?: boolean;
  readonly typeAnnotation?: Node;
  readonly types?: readonly Node[];
  readonly literal?: { readonly value: unknown };
  readonly left?: Node;
  readonly right?: Node;
  readonly typeName?: Node;
  readonly typeArguments?: { readonly params: readonly Node[] } | null;
}

interface Options {
  /** The address of the schemas that are made, before their names. */
  readonly place: string;
  /** The schema of a type that another file declares; undefined if there is none. */
  foreign(name: string): Schema | undefined;
}

const KEYWORDS: Readonly<Record<string, string>> = {
  TSStringKeyword: "string",
  TSNumberKeyword: "number",
  TSBooleanKeyword: "boolean",
  TSNullKeyword: "null",
};
/** Stripe's types allow any text where a later version may have more words. Here only known words count. */
const OTHER_WORDS = "OtherString";

const folder = join(dirname(createRequire(import.meta.url).resolve("stripe")), "..");

const nameOf = (node: Node | undefined): string =>
  node?.left === undefined ? (node?.name ?? "") : `${nameOf(node.left)}.${nameOf(node.right)}`;

const membersOf = ({ body }: Node) => (body as { readonly body: readonly Node[] }).body;

class Types {
  /** By their names: the schemas of all types that were referred to. */
  readonly made: Record<string, Schema> = {};
  private readonly declared = new Map<string, Node>();
  private readonly options: Options;

  constructor(statements: readonly Node[], options: Options) {
    this.options = options;
    this.collect(statements, "");
  }

  private collect(statements: readonly Node[], scope: string): void {
    for (const statement of statements) {
      const node = statement.declaration ?? statement;
      const name = scope + (node.id?.name ?? "");
      if (node.type === "TSModuleDeclaration") this.collect(membersOf(node), `${name}.`);
      else if (node.type === "TSInterfaceDeclaration") this.declared.set(name, node);
      else if (node.type === "TSTypeAliasDeclaration") this.declared.set(name, node);
    }
  }

  /** A reference to a declared type, whose schema is made if it was not yet. */
  refer(name: string): Schema {
    const node = this.declared.get(name);
    if (node === undefined) throw new Error(`Stripe's library declares no ${name}`);
    if (!(name in this.made)) {
      this.made[name] = {};
      this.made[name] =
        node.type === "TSInterfaceDeclaration"
          ? this.ofInterface(node, name)
          : this.ofType(node.typeAnnotation, name);
    }
    return { $ref: this.options.place + name };
  }

  private ofInterface(node: Node, name: string): Schema {
    const members = membersOf(node).filter(({ type }) => type === "TSPropertySignature");
    const keyOf = ({ key }: Node) => key?.name ?? "";
    const properties = Object.fromEntries(
      members.map((one) => [keyOf(one), this.ofType(one.typeAnnotation?.typeAnnotation, name)]),
    );
    const required = members.filter(({ optional }) => !optional).map(keyOf);
    return { type: "object", properties, required, additionalProperties: false };
  }

  private ofType(node: Node | undefined, scope: string): Schema {
    const { type, types = [], literal } = node ?? { type: "" };
    const keyword = KEYWORDS[type];
    if (keyword !== undefined) return { type: keyword };
    if (type === "TSLiteralType") return { const: literal?.value };
    if (type === "TSUnionType") {
      const known = types.filter(({ typeName }) => nameOf(typeName) !== OTHER_WORDS);
      return { anyOf: known.map((one) => this.ofType(one, scope)) };
    }
    return type === "TSTypeReference" && node !== undefined ? this.ofReference(node, scope) : {};
  }

  private ofReference({ typeName, typeArguments }: Node, scope: string): Schema {
    const name = nameOf(typeName);
    const inner = () => this.ofType(typeArguments?.params[0], scope);
    if (name === "Array") return { type: "array", items: inner() };
    if (name === "Emptyable") return { anyOf: [inner(), { const: "" }] };
    const scopes = scope.split(".");
    for (let count = scopes.length; count >= 0; count--) {
      const whole = [...scopes.slice(0, count), name].join(".");
      if (this.declared.has(whole)) return this.refer(whole);
    }
    // Objects that are not simulated are not expected.
    return this.options.foreign(name) ?? false;
  }
}

/** The types of a file of Stripe's library as JSON schemas. */
export function schemasOfTypes(file: string, options: Options): Types {
  const path = join(folder, "esm", file);
  const { program } = parseSync(path, readFileSync(path, "utf8"));
  return new Types(program.body as unknown as readonly Node[], options);
}
