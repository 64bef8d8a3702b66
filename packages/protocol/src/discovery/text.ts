/**
 * Owners' words inside other languages. Every function here makes text inert where it is put and
 * loses none of it: what a reader decodes is what the owner wrote.
 */

const HTML: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Text for HTML content and quoted attributes.
 *
 * @example
 * htmlText('<b title="x">'); //=> "&lt;b title=&quot;x&quot;&gt;"
 */
export function htmlText(text: string): string {
  return text.replace(/[&<>"']/g, (character) => HTML[character] as string);
}

const SCRIPT: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/**
 * JSON for a `<script>` data block: no `</script>` and no comment can begin in it. The escapes are
 * JSON's own, so what is parsed is unchanged and signatures over it still hold.
 */
export function scriptJson(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, (character) => SCRIPT[character] as string);
}

const entity = (character: string) => `&#${character.codePointAt(0)};`;

/**
 * Text inside a line of Markdown. Character references rather than backslashes: llms.txt readers
 * look for brackets by pattern, and a backslash would not hide one from them.
 */
export function markdownText(text: string): string {
  return text
    .replace(/&(?=#?\w+;)|[\\[\]*`<~]/g, entity)
    .replace(/(?<!\w)_|_(?!\w)/g, entity)
    .replace(/^(?:[#>+=~|-]|\d+(?=[.)]))|#$/g, (match) => [...match].map(entity).join(""));
}

/** A URL inside `(…)` of a Markdown link. */
export function markdownUrl(url: string): string {
  return url
    .replaceAll("(", "%28")
    .replaceAll(")", "%29")
    .replaceAll("\\", "%5C")
    .replace(/&(?=#?\w+;)/g, "&amp;");
}
