import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Outlet, useNavigate, useParams, useRouterState } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { FirstPasskey } from "../account/first-passkey.js";
import { reviewsWaiting } from "../reviews/reviews.js";
import { endSession, sessionQuery, signOut } from "../session/session.js";
import { processorQuery } from "../settings/processor.js";
import { forgetPurchases } from "../setup/kept.js";
import { Badge } from "../ui/badge.js";
import { Button } from "../ui/button.js";
import { Find } from "./find.js";
import { siteNamed, siteParam, sitesQuery } from "./sites.js";

/** The pages of a site, in groups. */
const PAGES = [
  [
    ["/$site", "Overview"],
    ["/$site/orders", "Orders"],
    ["/$site/reviews", "Reviews"],
  ],
  [
    ["/$site/products", "Products"],
    ["/$site/delivery", "Delivery and taxes"],
  ],
  [
    ["/$site/agents", "Agents"],
    ["/$site/platforms", "Platforms"],
    ["/$site/policy", "Rules"],
    ["/$site/decisions", "Decisions"],
    ["/$site/visits", "Visits"],
  ],
  [
    ["/$site/audit", "Audit log"],
    ["/$site/settings", "Settings"],
  ],
] as const;

function SitePicker({ name }: { readonly name: string | undefined }) {
  const navigate = useNavigate();
  const { data: sites = [] } = useQuery(sitesQuery);
  if (sites.length === 0) return null;
  return (
    <label className="flex min-w-0 flex-1 items-center gap-2 text-sm sm:flex-none">
      <span className="sr-only">Site</span>
      <select
        value={name ?? ""}
        onChange={({ target }) => void navigate({ to: "/$site", params: { site: target.value } })}
        className="min-w-0 max-w-64 rounded-lg max-sm:w-full border border-line bg-card px-2 py-1.5"
      >
        {name === undefined && <option value="">Choose a site</option>}
        {sites.map((site) => (
          <option key={site.site_key_hash} value={siteParam(site, sites)}>
            {site.domain}
            {site.status === "pending" ? " (not verified)" : ""}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Shown while payments are not real. */
function TestMode({ siteKeyHash }: { readonly siteKeyHash: string }) {
  const path = `/v1/admin/sites/${siteKeyHash}`;
  const { data } = useQuery(processorQuery(path));
  if (data === undefined || data.kind === null || data.live) return null;
  return (
    <span>
      <Badge word="test_mode" />
    </span>
  );
}

function Waiting({ siteKeyHash }: { readonly siteKeyHash: string }) {
  const { data } = useQuery(reviewsWaiting(siteKeyHash));
  const count = data?.items.length ?? 0;
  if (count === 0) return null;
  return (
    <span className="ml-auto rounded-full bg-warn/15 px-2 text-xs font-medium text-warn">
      {count}
      <span className="sr-only"> to review</span>
    </span>
  );
}

function Pages({ site, onGo }: { readonly site: string; onGo(): void }) {
  const { data: sites = [] } = useQuery(sitesQuery);
  const siteKeyHash = siteNamed(site, sites)?.site_key_hash;
  return PAGES.map((group) => (
    <div
      key={group[0][0]}
      className="flex flex-col gap-0.5 border-line not-first:border-t not-first:pt-2"
    >
      {group.map(([to, label]) => (
        <Link
          key={to}
          to={to}
          params={{ site }}
          activeOptions={{ exact: to === "/$site", includeSearch: false }}
          onClick={onGo}
          className="flex items-center gap-2 rounded-lg px-3 py-1.5 text-sm hover:bg-line/40 aria-[current=page]:bg-line/60 aria-[current=page]:font-semibold"
        >
          {label}
          {label === "Reviews" && siteKeyHash !== undefined && (
            <Waiting siteKeyHash={siteKeyHash} />
          )}
        </Link>
      ))}
    </div>
  ));
}

/** The page itself. `data-shown` tells programs which page it is. */
function Shown() {
  const shown = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.href });
  const busy = useRouterState({ select: ({ isLoading }) => isLoading });
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const place = useRef<HTMLElement>(null);
  const before = useRef(path);
  useEffect(() => {
    // Screen readers announce a new page by its focus. A changed filter is not a new page.
    if (before.current !== undefined && before.current !== path) place.current?.focus();
    before.current = path;
  }, [path]);
  return (
    <main
      id="page"
      ref={place}
      tabIndex={-1}
      data-shown={shown}
      aria-busy={busy}
      className="min-w-0 flex-1 px-4 py-6 outline-none sm:px-6"
    >
      <FirstPasskey />
      <Outlet />
    </main>
  );
}

/** The frame of every page: site, navigation and account. */
export function Shell() {
  const client = useQueryClient();
  const { site } = useParams({ strict: false });
  const { data: session } = useQuery(sessionQuery);
  const { data: sites = [], isSuccess } = useQuery(sitesQuery);
  const shown = site === undefined ? undefined : siteNamed(site, sites);
  // An unknown site has no pages.
  const pagesOf = isSuccess && shown === undefined ? undefined : site;
  const [open, setOpen] = useState(false);
  async function leave() {
    await signOut();
    forgetPurchases();
    endSession(client);
  }
  return (
    <div className="mx-auto flex min-h-screen max-w-7xl flex-col">
      <a href="#page" className="sr-only focus:not-sr-only focus:p-2">
        Skip to content
      </a>
      <header className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-3">
        <Link to="/" className="font-semibold tracking-tight">
          Gatehouse
        </Link>
        <SitePicker name={shown && siteParam(shown, sites)} />
        {shown !== undefined && <TestMode siteKeyHash={shown.site_key_hash} />}
        <span className="ml-auto text-sm text-soft max-sm:hidden">
          Signed in as{" "}
          <Link to="/account" className="link font-medium">
            {session?.name}
          </Link>
          {session?.name !== session?.role && ` (${session?.role})`}
        </span>
        <Button className="sm:hidden" aria-expanded={open} onClick={() => setOpen(!open)}>
          Menu
        </Button>
        <Button className="max-sm:hidden" onClick={() => void leave()}>
          Sign out
        </Button>
      </header>
      <div className="flex flex-1 flex-col sm:flex-row">
        <div
          className={`${open ? "flex" : "hidden"} flex-col gap-4 border-line p-3 max-sm:border-b sm:flex sm:w-52 sm:shrink-0 sm:border-r`}
        >
          {pagesOf !== undefined && <Find site={pagesOf} />}
          <nav aria-label="Pages" className="flex flex-col gap-2">
            {pagesOf !== undefined && <Pages site={pagesOf} onGo={() => setOpen(false)} />}
            <Link
              to="/account"
              className="link px-3 py-1.5 text-sm sm:hidden"
              onClick={() => setOpen(false)}
            >
              Your account
            </Link>
            <Link to="/sites" className="link px-3 py-1.5 text-sm" onClick={() => setOpen(false)}>
              All sites
            </Link>
          </nav>
          <Button className="sm:hidden" onClick={() => void leave()}>
            Sign out
          </Button>
        </div>
        <Shown />
      </div>
    </div>
  );
}
