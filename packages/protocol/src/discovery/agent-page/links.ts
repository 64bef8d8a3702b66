import type { SiteSnapshot } from "../snapshot.js";

export interface PageLink {
  readonly rel: string;
  readonly href: string;
  readonly type?: string;
  readonly title?: string;
}

/** Where a reader of the page finds the same for machines: in the head, and as Link headers. */
export function pageLinks({ addresses, baseUrl }: SiteSnapshot): readonly PageLink[] {
  const a2a = "application/a2a-agent-card+json";
  return [
    { rel: "canonical", href: addresses.agentPage },
    { rel: "ard", href: addresses.ard, type: "application/json" },
    { rel: "ai-catalog", href: addresses.catalog, type: "application/ai-catalog+json" },
    { rel: "alternate", href: addresses.card, type: a2a, title: "Agent card" },
    { rel: "alternate", href: addresses.agentPage, type: "text/markdown", title: "Markdown" },
    { rel: "describedby", href: addresses.llms, type: "text/plain" },
    { rel: "api-catalog", href: `${baseUrl}/.well-known/api-catalog` },
    { rel: "service-doc", href: addresses.verifyGuide, type: "text/markdown" },
  ];
}

/**
 * Lines for the head of the site's own pages, so that agents find its documents from there.
 *
 * @example
 * headLinks(EXAMPLE_SITE).split("\n").length; //=> 4
 */
export function headLinks(site: SiteSnapshot): string {
  const wanted = ["ard", "ai-catalog", "describedby"];
  const lines = pageLinks(site)
    .filter(({ rel }) => wanted.includes(rel))
    .map(({ rel, href, type }) => `<link rel="${rel}" href="${href}" type="${type}">`);
  return [...lines, ""].join("\n");
}

/**
 * The page's `Link` header (RFC 8288). Every value in it is ours; none is an owner's word.
 *
 * @example
 * linkHeader(EXAMPLE_SITE).split(", ").length; //=> 8
 */
export function linkHeader(site: SiteSnapshot): string {
  return pageLinks(site)
    .map(({ href, ...parameters }) =>
      [`<${href}>`, ...Object.entries(parameters).map(([name, text]) => `${name}="${text}"`)].join(
        "; ",
      ),
    )
    .join(", ");
}
