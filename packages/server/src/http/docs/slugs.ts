/** What GitHub drops from a heading to make its anchor: all but letters, digits, `_`, `-` and spaces. */
const DROPPED = /[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu;

/** Anchors of one page's headings, as GitHub makes them, so that a link works there and here. */
export function slugger(): (heading: string) => string {
  const given = new Map<string, number>();
  return (heading) => {
    const plain = heading.toLowerCase().replace(DROPPED, "").replaceAll(" ", "-");
    let slug = plain;
    while (given.has(slug)) {
      const next = (given.get(plain) ?? 0) + 1;
      given.set(plain, next);
      slug = `${plain}-${next}`;
    }
    given.set(slug, 0);
    return slug;
  };
}
