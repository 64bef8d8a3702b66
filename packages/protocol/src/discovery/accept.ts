/**
 * Weight a client gives a media type (RFC 9110 section 12.5.1): by its most specific range that
 * fits; 0 when none does.
 */
function weight(ranges: ReadonlyMap<string, number>, type: string): number {
  const [major] = type.split("/");
  return ranges.get(type) ?? ranges.get(`${major}/*`) ?? ranges.get("*/*") ?? 0;
}

function rangesOf(accept: string): ReadonlyMap<string, number> {
  const ranges = new Map<string, number>();
  for (const range of accept.toLowerCase().split(",")) {
    const [name = "", ...parameters] = range.split(";").map((part) => part.trim());
    const q = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1);
    ranges.set(name, Number.isFinite(q) ? q : 0);
  }
  return ranges;
}

/**
 * Whether a client asks for Markdown by name, and likes it at least as well as what we have.
 *
 * @example
 * prefersMarkdown("text/markdown, text/html;q=0.5", "text/html"); //=> true
 * prefersMarkdown("text/html", "text/html"); //=> false
 */
export function prefersMarkdown(accept: string | undefined, ours: string): boolean {
  if (accept === undefined || !/markdown/i.test(accept)) return false;
  const ranges = rangesOf(accept);
  const markdown = ranges.get("text/markdown") ?? 0;
  return markdown > 0 && markdown >= weight(ranges, ours.split(";")[0] as string);
}

/**
 * Of the types we have, the one a client names and likes best; of equals the first. Undefined where
 * it names none of them, whatever else it takes.
 *
 * @example
 * namedType("text/html, *\/*;q=0.8", ["text/markdown", "text/html"]); //=> "text/html"
 * namedType("*\/*", ["text/markdown", "text/html"]); //=> undefined
 */
export function namedType<T extends string>(
  accept: string | undefined,
  types: readonly T[],
): T | undefined {
  const ranges = rangesOf(accept ?? "");
  const liked = (type: T) => ranges.get(type) ?? 0;
  const best = Math.max(...types.map(liked));
  return best > 0 ? types.find((type) => liked(type) === best) : undefined;
}
