import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { call, type Page as ListPage } from "../api/client.js";
import { PauseButton } from "../layout/pause.js";
import { useMay, useSite } from "../layout/sites.js";
import { isOpen, useSetupState } from "../setup/done-steps.js";
import { STEPS } from "../setup/steps.js";
import { LoadingHome } from "../ui/loading.js";
import { Page } from "../ui/page.js";
import { ChooseRange } from "./choose-range.js";
import { Decisions, Visits } from "./counts.js";
import { Declines } from "./declines.js";
import { NeedsYou } from "./needs-you.js";
import { Onboarding } from "./onboarding.js";
import type { Range } from "./ranges.js";
import { Sales } from "./sales.js";

const FIRST = {
  orders: "/orders?limit=1",
  visits: "/visits?limit=1",
  decisions: "/decisions?limit=1",
} as const;

/** Whether there is anything of a kind yet: before the first, a chart would be empty. */
function useHasAny(topic: keyof typeof FIRST): boolean {
  const { site, path } = useSite();
  const first = useQuery({
    queryKey: [topic, site.site_key_hash, "first one"],
    queryFn: () => call<ListPage<unknown>>("GET", path + FIRST[topic]),
  });
  return (first.data?.items.length ?? 0) > 0;
}

/** The numbers of the site, of what there is. */
function Numbers({ range }: { readonly range: Range }) {
  const [orders, visits, decisions] = [
    useHasAny("orders"),
    useHasAny("visits"),
    useHasAny("decisions"),
  ];
  if (!orders && !visits && !decisions) return null;
  return (
    <>
      <ChooseRange range={range} />
      {orders && <Sales range={range} />}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        {visits && <Visits range={range} />}
        {decisions && <Decisions range={range} />}
      </div>
      <Declines />
    </>
  );
}

/** What happens at the site, and what needs attention. Until the site is set up, what is left to do. */
export function OverviewPage() {
  const { site } = useSite();
  const owner = useMay("owner");
  const { range = "7d", from, to, step } = useSearch({ from: "/shell/$site/" });
  const setup = useSetupState(owner);
  // What is left to do decides what else is shown, so nothing is shown before it is known.
  const isKnown = !owner || setup !== undefined;
  const inSetup = setup !== undefined && STEPS.some((one) => isOpen(setup, one));
  return (
    <Page title={site.name} purpose={site.domain} actions={<PauseButton />}>
      {!isKnown && <LoadingHome />}
      {setup !== undefined && <Onboarding state={setup} />}
      {isKnown && step === undefined && (
        <>
          <NeedsYou inSetup={inSetup} />
          <Numbers range={{ range, from, to }} />
        </>
      )}
    </Page>
  );
}
