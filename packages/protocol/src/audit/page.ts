/** Where a self-verifying page keeps the part it shows; every `<` inside is written `\u003c`. */
export const EXPORT_ELEMENT = '<script type="application/json" id="audit-export">';

/**
 * The signed part inside a page of an HTML export, as JSON text.
 *
 * @example
 * exportInPage('<script type="application/json" id="audit-export">{}</script>'); //=> "{}"
 * exportInPage("<p>hello</p>"); //=> undefined
 */
export function exportInPage(html: string): string | undefined {
  const begin = html.indexOf(EXPORT_ELEMENT);
  const from = begin + EXPORT_ELEMENT.length;
  const to = html.indexOf("</script>", from);
  return begin < 0 || to < 0 ? undefined : html.slice(from, to);
}
