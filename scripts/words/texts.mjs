import { readdirSync, readFileSync } from "node:fs";
import { parseSync } from "vite";

/** Attributes that nobody reads. */
const NOT_TEXT = new Set(["className", "to", "from", "href", "rel", "type", "role", "id", "key"]);
/** Functions of WordPress whose arguments are texts that can be translated. */
const TRANSLATED = /\b(?:__|_e|_x|_ex|_n|_nx|(?:esc_html|esc_attr)_(?:_|e|x))\(/g;
const PHP_LITERAL = /\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*,?/y;
/** The last argument: the name of the plugin, whose translations are meant. */
const TEXT_DOMAIN = "gatehouse";

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

/** The texts that a PHP file hands to WordPress for translation. */
export function phpTexts(php) {
  const texts = [];
  for (const { index, 0: call } of php.matchAll(TRANSLATED)) {
    PHP_LITERAL.lastIndex = index + call.length;
    for (let match = PHP_LITERAL.exec(php); match !== null; match = PHP_LITERAL.exec(php)) {
      const text = (match[1] ?? match[2]).replace(/\\(.)/g, "$1");
      if (text !== TEXT_DOMAIN) texts.push(text);
    }
  }
  return texts;
}

/** The texts of a file that people see: JSX and literals of several words, or translated texts of PHP. */
export function textsOf(file) {
  const code = readFileSync(file, "utf8");
  if (file.endsWith(".php")) return phpTexts(code);
  return [...textsIn(parseSync(file, code).program)];
}

/** The files of a folder whose names match, and which are not left out. */
export function filesIn(folder, names, notRead = /^$/) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
    .filter((name) => names.test(name) && !notRead.test(name))
    .sort();
}
