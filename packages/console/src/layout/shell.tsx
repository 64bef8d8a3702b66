import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, Navigate, Outlet, useNavigate, useParams } from "@tanstack/react-router";
import { sessionQuery, signOut } from "../session/session.js";
import { Button } from "../ui/button.js";
import { Failure, Notice } from "../ui/notice.js";
import { sitesQuery } from "./sites.js";

function SitePicker() {
  const { site } = useParams({ strict: false });
  const navigate = useNavigate();
  const { data: sites = [] } = useQuery(sitesQuery);
  return (
    <label className="flex items-center gap-2 text-sm">
      <span className="text-soft">Site</span>
      <select
        value={site ?? ""}
        onChange={({ target }) =>
          void navigate({ to: "/$site/reviews", params: { site: target.value } })
        }
        className="rounded-lg border border-line bg-card px-2 py-1.5"
      >
        {sites.map(({ domain, site_key_hash }) => (
          <option key={site_key_hash} value={domain}>
            {domain}
          </option>
        ))}
      </select>
    </label>
  );
}

/** What stands around every page: which site, where to go, who is signed in. */
export function Shell() {
  const client = useQueryClient();
  const { site } = useParams({ strict: false });
  const { data: session } = useQuery(sessionQuery);
  async function leave() {
    await signOut();
    client.setQueryData(sessionQuery.queryKey, null);
    // Whoever signs in next sees nothing of what was shown before.
    const [session] = sessionQuery.queryKey;
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== session });
  }
  return (
    <div className="mx-auto flex min-h-screen max-w-6xl flex-col">
      <a href="#page" className="sr-only focus:not-sr-only">
        Skip to the page
      </a>
      <header className="flex flex-wrap items-center gap-3 border-b border-line px-5 py-3">
        <span className="font-semibold">Gatehouse</span>
        <SitePicker />
        <span className="ml-auto text-sm text-soft">{session?.role}</span>
        <Button onClick={() => void leave()}>Sign out</Button>
      </header>
      <div className="flex flex-1 flex-col sm:flex-row">
        <nav aria-label="Pages" className="flex gap-1 px-3 py-4 sm:w-44 sm:flex-col">
          {site !== undefined && (
            <Link
              to="/$site/reviews"
              params={{ site }}
              className="rounded-lg px-3 py-1.5 aria-[current=page]:bg-line/50 aria-[current=page]:font-medium"
            >
              Reviews
            </Link>
          )}
        </nav>
        <main id="page" className="min-w-0 flex-1 px-5 py-6">
          <Outlet />
        </main>
      </div>
    </div>
  );
}

/** Where somebody comes in: on to their first site. */
export function FirstSite() {
  const sites = useQuery(sitesQuery);
  if (sites.isError) return <Failure error={sites.error} />;
  if (!sites.isSuccess) return <Notice>Loading…</Notice>;
  const [first] = sites.data;
  if (first !== undefined) {
    return <Navigate to="/$site/reviews" params={{ site: first.domain }} replace />;
  }
  return (
    <section className="flex flex-col gap-3">
      <h1 className="text-xl font-semibold">No site yet</h1>
      <p className="text-soft">
        Make one in the terminal:{" "}
        <code>gatehouse site create shop.example.com --name "My shop"</code>
      </p>
    </section>
  );
}
