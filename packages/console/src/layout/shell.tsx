import { useQuery } from "@tanstack/react-query";
import { Link, Outlet, useParams, useRouterState } from "@tanstack/react-router";
import { Search as SearchIcon } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { FirstPasskey } from "../account/first-passkey.js";
import { Toast } from "../ui/toast.js";
import { KeyboardHelp } from "./key-help.js";
import { LeaveGuard } from "./leave-guard.js";
import { Offline } from "./offline.js";
import { PageLinks } from "./pages.js";
import { Person } from "./person.js";
import { PhoneBar } from "./phone-bar.js";
import { Search } from "./search.js";
import { useShortcuts } from "./shortcuts.js";
import { SiteSwitcher } from "./site-switcher.js";
import { siteNamed, sitesQuery } from "./sites.js";
import { TestMode } from "./test-mode.js";

/** The page itself. `data-shown` tells programs which page it is. */
function Shown() {
  const shown = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.href });
  const busy = useRouterState({ select: ({ isLoading }) => isLoading });
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const place = useRef<HTMLElement>(null);
  const before = useRef(path);
  useEffect(() => {
    // Screen readers announce a new page by its focus. A changed filter is not a new page.
    if (before.current !== undefined && before.current !== path)
      place.current?.focus({ preventScroll: true });
    before.current = path;
  }, [path]);
  return (
    <main
      id="page"
      ref={place}
      tabIndex={-1}
      data-shown={shown}
      aria-busy={busy}
      className="mx-auto w-full max-w-[75rem] min-w-0 flex-1 px-4 pt-4 pb-24 outline-none sm:px-6 md:pb-10"
    >
      <FirstPasskey />
      <Outlet />
    </main>
  );
}

function SearchButton({ onOpen }: { onOpen(): void }) {
  return (
    <button
      type="button"
      aria-keyshortcuts="Control+K Meta+K /"
      onClick={onOpen}
      className="flex items-center gap-2 rounded-lg border border-line bg-card px-3 py-1.5 text-sm text-soft hover:border-soft md:w-72"
    >
      <SearchIcon aria-hidden size={16} />
      <span className="max-md:sr-only">Find anything</span>
      <span aria-hidden="true" className="ml-auto font-sans text-xs max-md:hidden">
        Ctrl K
      </span>
    </button>
  );
}

/** The frame of every page: site, navigation, search and account. */
export function Shell() {
  const { site } = useParams({ strict: false });
  const { data: sites = [] } = useQuery(sitesQuery);
  const current = site === undefined ? undefined : siteNamed(site, sites);
  // An unknown site has no pages.
  const name = current === undefined ? undefined : site;
  const [searching, setSearching] = useState(false);
  const [helping, setHelping] = useState(false);
  const openSearch = () => setSearching(true);
  useShortcuts({ search: openSearch, help: () => setHelping(true) });
  return (
    <div className="flex min-h-screen flex-col">
      <a href="#page" className="sr-only focus:not-sr-only focus:p-2">
        Skip to content
      </a>
      <div className="flex flex-1 flex-col md:flex-row">
        <aside
          aria-label="Site and pages"
          className="sticky top-0 flex h-screen w-60 shrink-0 flex-col gap-4 overflow-y-auto border-r border-line p-3 max-md:hidden print:hidden"
        >
          <SiteSwitcher current={current} />
          <nav aria-label="Pages" className="flex flex-1 flex-col gap-2">
            {name !== undefined && <PageLinks site={name} />}
          </nav>
        </aside>
        <div className="flex min-w-0 flex-1 flex-col">
          <Offline />
          {current !== undefined && name !== undefined && <TestMode site={current} name={name} />}
          <header className="mx-auto flex w-full max-w-[75rem] items-center gap-2 px-4 pt-3 sm:px-6 print:hidden">
            <div className="min-w-0 flex-1 md:hidden">
              <SiteSwitcher current={current} />
            </div>
            {name !== undefined && <SearchButton onOpen={openSearch} />}
            {name === undefined && (
              <Link to="/account" className="link text-sm md:hidden">
                Your account
              </Link>
            )}
            <div className="ml-auto max-md:hidden">
              <Person />
            </div>
          </header>
          <Shown />
        </div>
      </div>
      <Toast />
      <LeaveGuard />
      <KeyboardHelp open={helping} onClose={() => setHelping(false)} />
      {name !== undefined && <PhoneBar site={name} />}
      {current !== undefined && name !== undefined && (
        <Search
          site={name}
          path={`/v1/admin/sites/${current.site_key_hash}`}
          open={searching}
          onClose={() => setSearching(false)}
        />
      )}
    </div>
  );
}
