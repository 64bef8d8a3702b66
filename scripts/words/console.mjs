import { readdirSync, readFileSync } from "node:fs";
import { parseSync } from "vite";

const FOLDER = "packages/console/src";
/** Verdicts there use the words of the verifiers, which other programs print too. */
const NOT_READ = /\/proof\/|\/audit\/verify-/;
/** Attributes that nobody reads. */
const NOT_TEXT = new Set(["className", "to", "from", "href", "rel", "type", "role", "id", "key"]);

export function consoleFiles() {
  return readdirSync(FOLDER, { recursive: true, encoding: "utf8" })
    .map((name) => `${FOLDER}/${name}`)
    .filter((name) => /\.tsx?$/.test(name) && !NOT_READ.test(name));
}

/** A literal of several words is a text; a single word is mostly a name of the API. */
const isText = (text) => /[a-z]\S* \S*[a-z]/i.test(text.trim());

function literalOf(node) {
  if (node.type === "JSXText") return node.value;
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type !== "TemplateLiteral") return undefined;
  return node.quasis.map(({ value }) => value.cooked).join("…");
}

function* textsIn(node) {
  if (Array.isArray(node)) for (const one of node) yield* textsIn(one);
  if (node === null || typeof node !== "object" || node.type === "ImportDeclaration") return;
  if (node.type === "JSXAttribute" && NOT_TEXT.has(node.name.name)) return;
  const text = literalOf(node)?.replace(/\s+/g, " ").trim();
  if (text !== undefined && isText(text)) yield text;
  if (!Array.isArray(node)) for (const child of Object.values(node)) yield* textsIn(child);
}

/** The texts of a file that people see: JSX and string literals with several words. */
export function textsOf(file) {
  const { program } = parseSync(file, readFileSync(file, "utf8"));
  return [...textsIn(program)];
}
