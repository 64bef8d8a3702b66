/**
 * The texts of the WordPress plugin for translators: `npm run build:wordpress` writes them to
 * `languages/gatehouse.pot`. The same source makes the same file: it has no date and no machine in it.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const DOMAIN = "gatehouse";
/** Which arguments are texts: one, its plural, its context. */
const FUNCTIONS = {
  __: ["text"],
  _e: ["text"],
  esc_html__: ["text"],
  esc_html_e: ["text"],
  esc_attr__: ["text"],
  esc_attr_e: ["text"],
  _x: ["text", "context"],
  esc_html_x: ["text", "context"],
  _n: ["text", "plural"],
  _n_noop: ["text", "plural"],
};
const CALL = new RegExp(`(?<![\\w$>:\\\\])(${Object.keys(FUNCTIONS).join("|")})\\(\\s*`, "g");
const LITERAL = /'((?:[^'\\]|\\.)*)'\s*,\s*/y;
const COMMENT = /\/\* translators: (.*?) \*\//g;
/** A comment for translators stands at most so many lines above its text. */
const COMMENT_LINES_MAX = 2;
const HEADERS = { "Plugin Name": "Name of the plugin", Description: "Description of the plugin" };

const lineOf = (source, index) => source.slice(0, index).split("\n").length;
const quoted = (text) => `"${text.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n")}"`;

/** The texts of one call. Throws if a translator could not be given them. */
function readCall(source, call, at) {
  const literals = {};
  LITERAL.lastIndex = call.index + call[0].length;
  for (const role of FUNCTIONS[call[1]]) {
    const literal = LITERAL.exec(source);
    if (literal === null) throw new Error(`${at}: ${call[1]}() needs its texts as they are`);
    literals[role] = literal[1].replace(/\\(['\\])/g, "$1");
  }
  const rest = source.slice(LITERAL.lastIndex);
  const domain = /^(?:[^;]*?,\s*)??'([\w-]+)'\s*\)/.exec(rest)?.[1];
  if (domain !== DOMAIN) throw new Error(`${at}: ${call[1]}() needs the text domain ${DOMAIN}`);
  return literals;
}

/** The texts of a file. Lines are left out, so that other changes of a file do not change the texts. */
function textsOf(name, source) {
  const comments = [...source.matchAll(COMMENT)].map((comment) => ({
    text: comment[1],
    line: lineOf(source, comment.index),
  }));
  return [...source.matchAll(CALL)].map((call) => {
    const line = lineOf(source, call.index);
    const near = ({ line: above }) => above <= line && line - above <= COMMENT_LINES_MAX;
    const comment = comments.findLast(near)?.text;
    return { ...readCall(source, call, `${name}:${line}`), comment, at: name };
  });
}

/** What WordPress shows of the plugin's header. */
function headersOf(name, source) {
  return Object.entries(HEADERS).map(([header, comment]) => {
    const text = new RegExp(`^ \\* ${header}: +(.+)$`, "m").exec(source)?.[1];
    if (text === undefined) throw new Error(`${name} has no header ${header}`);
    return { text, comment, at: name };
  });
}

function entryOf({ text, plural, context, comments, places }) {
  return [
    ...comments.map((comment) => `#. ${comment}`),
    `#: ${places.join(" ")}`,
    ...(/%(?:\d\$)?[ds]/.test(text + (plural ?? "")) ? ["#, php-format"] : []),
    ...(context === undefined ? [] : [`msgctxt ${quoted(context)}`]),
    `msgid ${quoted(text)}`,
    ...(plural === undefined
      ? ['msgstr ""']
      : [`msgid_plural ${quoted(plural)}`, 'msgstr[0] ""', 'msgstr[1] ""']),
    "",
  ].join("\n");
}

/** The file for translators, of the plugin in a folder. */
export function pluginPot(plugin, version) {
  const names = readdirSync(plugin, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".php"))
    .sort();
  const texts = names.flatMap((name) => {
    const source = readFileSync(join(plugin, name), "utf8");
    return [...(name === "gatehouse.php" ? headersOf(name, source) : []), ...textsOf(name, source)];
  });
  const entries = new Map();
  for (const { text, plural, context, comment, at } of texts) {
    const key = JSON.stringify([context, text]);
    const entry = entries.get(key) ?? { text, plural, context, comments: [], places: [] };
    // A text with a plural somewhere has it everywhere, as gettext wants it.
    entry.plural ??= plural;
    if (!entry.places.includes(at)) entry.places.push(at);
    if (comment !== undefined && !entry.comments.includes(comment)) entry.comments.push(comment);
    entries.set(key, entry);
  }
  const head = [
    'msgid ""',
    'msgstr ""',
    `"Project-Id-Version: Gatehouse ${version}\\n"`,
    '"MIME-Version: 1.0\\n"',
    '"Content-Type: text/plain; charset=UTF-8\\n"',
    '"Content-Transfer-Encoding: 8bit\\n"',
    '"Plural-Forms: nplurals=2; plural=(n != 1);\\n"',
    `"X-Domain: ${DOMAIN}\\n"`,
    "",
    "",
  ].join("\n");
  return head + [...entries.values()].map(entryOf).join("\n");
}
