import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "vite";

export const root = fileURLToPath(new URL("..", import.meta.url));

export interface SourceFile {
  /** Path from the repository's root. */
  readonly path: string;
  readonly text: string;
  /** Paths of the files it imports from the same package, and names of packages. */
  readonly imports: readonly string[];
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+"([^"]+)"|import\("([^"]+)"\)|(?:^|\n)import\s+"([^"]+)"/g;

function importsIn(path: string, text: string): readonly string[] {
  return [...text.matchAll(IMPORT)].map(([, from, dynamic, bare]) => {
    const target = (from ?? dynamic ?? bare) as string;
    if (!target.startsWith(".")) return target;
    const file = normalize(join(dirname(path), target));
    if (!/\.[jt]sx?$/.test(file)) return file;
    const named = file.replace(/\.[jt]sx?$/, "");
    return existsSync(join(root, `${named}.tsx`)) ? `${named}.tsx` : `${named}.ts`;
  });
}

/** Source files in a folder, with comments blanked out so that rules see code only. */
export function sourcesIn(place: string, named = /\.(?:tsx?|m?js)$/): SourceFile[] {
  const folder = join(root, place);
  // The plugin for WordPress is PHP.
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => named.test(name) && !/\bnode_modules\b/.test(name))
    .map((name) => {
      const path = relative(root, join(folder, name));
      const text = readFileSync(join(folder, name), "utf8")
        .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, " "))
        .replace(/(^|\s)\/\/.*$/gm, "$1");
      return { path, text, imports: importsIn(path, text) };
    });
}

/** Source files of a package. */
export const sourcesOf = (packageName: string) =>
  sourcesIn(join("packages", packageName, "src"), /\.tsx?$/);

const TYPE_IMPORT = /(?:^|\n)\s*(?:import|export)\s+type\s[^;]*?from\s+"([^"]+)"/g;

/** What a file imports of the same package to run it: not what it imports for types alone. */
export function importsOfCode({ path, text }: SourceFile): readonly string[] {
  return importsIn(path, text.replace(TYPE_IMPORT, "\n"));
}

const NAMED = /(?:^|\n)\s*(?:import|export)\s+(?:\{([^}]*)\}|\*[\s\w]*)\s*from\s+"(\.[^"]+)"/g;

/** Every name that a file imports of the same package to run it, with the file that it comes from. */
export function importedNames({ path, text }: SourceFile) {
  return [...text.matchAll(NAMED)].flatMap(([, list = "*", from = ""]) => {
    const names = list.split(",").map((name) => name.trim());
    const target = importsIn(path, `import "${from}"`)[0] as string;
    return names
      .filter((name) => name !== "" && !name.startsWith("type "))
      .map((name) => ({ target, name: name.replace(/ as .*/, "") }));
  });
}

/** A part of a syntax tree, as its parser names it. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === "object" && value !== null && typeof (value as SyntaxNode).type === "string";

/** Every node of a source file, each before those inside it. */
export function nodesOf({ path, text }: SourceFile): readonly SyntaxNode[] {
  const inside = (node: SyntaxNode): readonly SyntaxNode[] => [
    node,
    ...Object.values(node).flat().filter(isNode).flatMap(inside),
  ];
  return inside(parseSync(path, text).program as unknown as SyntaxNode);
}
