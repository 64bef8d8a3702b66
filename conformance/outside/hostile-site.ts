import type { SkillOfSite } from "./site.ts";

/** Titles that mean something in Markdown, in HTML, or to a reader that looks for patterns. */
const TITLES = [
  "a](b",
  "](https://evil.example) [x",
  "![x](https://evil.example/x.png)",
  "[x]: https://evil.example",
  "# x",
  "## Optional",
  "two\nlines\r\n\n## Forged\n\n- [x](https://evil.example)",
  "line\u2028separators\u2029and\u0085more",
  "- x",
  "* x",
  "> x",
  "1. x",
  "--- ===",
  "x ##",
  "*a* _b_ c_d `e` ~~f~~",
  "<script>alert(1)</script> <!-- x",
  "&#93; &amp; &lt;",
  "back\\slash \\]",
  "\"double\" and 'single' “quotes”",
  "family 👩‍👩‍👧 and tulip 🌷",
  "\u200fשלום\u200f \u202eesrever\u202c",
  "(parens) [brackets] {braces}",
];

export const HOSTILE_SKILLS: readonly SkillOfSite[] = TITLES.map((title, place) => ({
  id: `skill_${place}`,
  path: `/skills/${place}?x=(a)[b]`,
  title,
  description: `${title} : ${title}`,
}));

/** A site whose words mean something to whoever reads its documents. */
export const HOSTILE_SITE = { name: "# a](b > c", description: "> [x](y) #\n## z" };
