import { useQuery } from "@tanstack/react-query";
import { Link, useRouterState } from "@tanstack/react-router";
import { reviewsWaiting } from "../reviews/reviews.js";
import { CALLER_PAGES, CALLERS, HOME, PAGE_GROUPS, REVIEWS, type SitePage } from "./navigation.js";
import { siteNamed, sitesQuery, useSite } from "./sites.js";

/** How many reviews wait at a site, beside the link to them. */
export function ReviewCount({ site }: { readonly site: string }) {
  const { data: sites = [] } = useQuery(sitesQuery);
  const siteKeyHash = siteNamed(site, sites)?.site_key_hash;
  const waiting = useQuery({
    ...reviewsWaiting(siteKeyHash ?? ""),
    enabled: siteKeyHash !== undefined,
  });
  const count = waiting.data?.items.length ?? 0;
  if (count === 0) return null;
  return (
    <span className="rounded-full bg-warn-soft px-2 text-xs font-medium text-warn">
      {count}
      <span className="sr-only"> to review</span>
    </span>
  );
}

interface Props {
  readonly site: string;
  readonly onGo?: (() => void) | undefined;
}

function PageLink({ page, site, onGo }: Props & { readonly page: SitePage }) {
  const { to, label, icon: Icon } = page;
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // The entry of several pages is the current one on each of them.
  const isOneOf =
    page === CALLERS &&
    CALLER_PAGES.some((one) => path.startsWith(one.to.replace("$site", encodeURIComponent(site))));
  return (
    <Link
      to={to}
      params={{ site }}
      activeOptions={{ exact: page === HOME, includeSearch: false }}
      onClick={onGo}
      {...(isOneOf ? { "aria-current": "page" as const } : {})}
      className="flex items-center gap-3 rounded-lg px-3 py-1.5 text-sm hover:bg-line/40 aria-[current=page]:bg-act-soft aria-[current=page]:font-semibold aria-[current=page]:text-act"
    >
      <Icon aria-hidden size={18} strokeWidth={1.75} className="shrink-0" />
      <span className="min-w-0 flex-1">{label}</span>
      {page === REVIEWS && <ReviewCount site={site} />}
    </Link>
  );
}

/** Links to every page of a site, in groups. */
export function PageLinks({ site, onGo }: Props) {
  return PAGE_GROUPS.map((group) => (
    <div
      key={group[0].to}
      className="flex flex-col gap-0.5 border-line not-first:border-t not-first:pt-2"
    >
      {group.map((page) => (
        <PageLink key={page.to} page={page} site={site} onGo={onGo} />
      ))}
    </div>
  ));
}

/** Leads from one page about agents and platforms to the others. */
export function CallerTabs() {
  const { name } = useSite();
  return (
    <nav
      aria-label="Agents and platforms"
      className="flex gap-1 overflow-x-auto border-b border-line"
    >
      {CALLER_PAGES.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          params={{ site: name }}
          activeOptions={{ includeSearch: false }}
          className="shrink-0 border-b-2 border-transparent px-3 py-2 text-sm text-soft aria-[current=page]:border-act aria-[current=page]:font-semibold aria-[current=page]:text-act"
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
