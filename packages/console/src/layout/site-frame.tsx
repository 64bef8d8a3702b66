import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, Outlet, useParams, useRouterState } from "@tanstack/react-router";
import { useChanges } from "../api/changes.js";
import { shopQuery } from "../delivery/shop.js";
import { BackToSetup } from "../setup/back-to-setup.js";
import { Badge } from "../ui/badge.js";
import {
  Loading,
  LoadingHome,
  LoadingOrder,
  LoadingPage,
  LoadingReview,
  LoadingTitled,
} from "../ui/loading.js";
import { Failure } from "../ui/notice.js";
import { Empty, Page } from "../ui/page.js";
import { PausedNotice } from "./pause.js";
import { siteNamed, siteParam, siteState, sitesQuery, useMay } from "./sites.js";
import { shownZone, Zone } from "./zone.js";

/** Stands in for a page of a site, in the shape that it will have. */
function LoadingAt({
  kind,
  id,
}: {
  readonly kind: string | undefined;
  readonly id: string | undefined;
}) {
  const titled = kind === undefined ? <LoadingHome /> : kind === "reviews" && <LoadingReview />;
  if (titled) return <LoadingTitled>{titled}</LoadingTitled>;
  if (kind === "orders" && id !== undefined) return <LoadingOrder />;
  return <LoadingPage />;
}

/** Finds the site in the address and listens for its changes. */
export function SiteFrame() {
  const { site: name } = useParams({ from: "/shell/$site" });
  const sites = useQuery(sitesQuery);
  const site = siteNamed(name, sites.data ?? []);
  const path = `/v1/admin/sites/${site?.site_key_hash}`;
  const shop = useQuery({ ...shopQuery(path), enabled: site !== undefined });
  useChanges(site?.site_key_hash);
  const [, , kind, id] = useRouterState({ select: ({ location }) => location.pathname }).split("/");
  const here = { kind: kind || undefined, id };
  if (sites.isError) return <Failure error={sites.error} />;
  if (!sites.isSuccess) return <Loading />;
  if (site === undefined) {
    return (
      <Page title="Site not found">
        <Empty
          title={`The site ${name} does not exist`}
          action={
            <Link to="/sites" className="button-act">
              Show all sites
            </Link>
          }
        >
          <p>Or you do not have access to it. Then ask its owner to invite you.</p>
        </Empty>
      </Page>
    );
  }
  // Without the shop's time zone, times and days would be others at first.
  if (shop.isPending) return <LoadingAt {...here} />;
  return (
    <Zone value={shownZone(shop.data?.time_zone)}>
      <PausedNotice />
      <BackToSetup />
      <Outlet />
    </Zone>
  );
}

/** The start page: leads to the only site, to the list of sites, or to a new site. */
export function FirstSite() {
  const sites = useQuery(sitesQuery);
  const mayCreate = useMay("operator");
  if (sites.isError) return <Failure error={sites.error} />;
  if (!sites.isSuccess) return <Loading />;
  const [first] = sites.data;
  if (first === undefined && mayCreate) return <Navigate to="/new" replace />;
  if (first === undefined || sites.data.length > 1) return <Navigate to="/sites" replace />;
  return <Navigate to="/$site" params={{ site: siteParam(first, sites.data) }} replace />;
}

/** Every site that the signed-in person can see. */
export function SitesPage() {
  const sites = useQuery(sitesQuery);
  const mayCreate = useMay("operator");
  if (sites.isError) return <Failure error={sites.error} />;
  if (!sites.isSuccess) return <Loading />;
  const add = (
    <Link to="/new" className="button-act">
      Add a site
    </Link>
  );
  return (
    <Page title="Sites" actions={mayCreate ? add : undefined}>
      {sites.data.length === 0 && (
        <Empty title="No sites yet" example="Fern & Petal · shop.example · Verified">
          <p>The shops that you can work with appear here. Ask an owner to invite you.</p>
        </Empty>
      )}
      <ul className="grid gap-3 sm:grid-cols-2">
        {sites.data.map((site) => (
          <li key={site.site_key_hash}>
            <Link
              to="/$site"
              params={{ site: siteParam(site, sites.data) }}
              className="flex flex-col gap-1 rounded-lg border border-line bg-card p-4 hover:border-soft"
            >
              <span className="flex flex-wrap items-center gap-2 font-medium">
                {site.name} <Badge word={siteState(site)} />
                {site.paused_at !== null && <Badge word="paused" look="warn" />}
              </span>
              <span className="break-all text-sm text-soft">{site.domain}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Page>
  );
}
