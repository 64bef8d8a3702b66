import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { type Api, call, type Page } from "../api/client.js";
import { useMay, useSite } from "../layout/sites.js";
import type { Review } from "../reviews/reviews.js";
import { endTest, TEST_TAG } from "./test-item.js";

const CHECK_MS = 5000;
/** A test that never sent its request is over after this. */
const STALE_MS = 600_000;
const UNDECIDED: readonly Review["status"][] = ["pending", "paying"];

/** Test agents whose purchase is decided, or which never made one. */
function overdue(agents: readonly Api["Agent"][], reviews: readonly Review[]): Api["Agent"][] {
  return agents.filter(({ agent_id, created_at }) => {
    const own = reviews.filter((review) => review.agent_id === agent_id);
    if (own.length === 0) return Date.now() - Date.parse(created_at) > STALE_MS;
    return own.every(({ status }) => !UNDECIDED.includes(status));
  });
}

/** Ends test purchases that were decided outside the setup: on another page, by mail or in the terminal. */
function Cleanup() {
  const { site, path } = useSite();
  const client = useQueryClient();
  useQuery({
    queryKey: ["agents", site.site_key_hash, "test"],
    queryFn: async () => {
      const { items } = await call<Page<Api["Agent"]>>(
        "GET",
        `${path}/agents?status=active&q=Test`,
      );
      const agents = items.filter(({ tags }) => tags.includes(TEST_TAG));
      if (agents.length === 0) return 0;
      const reviews = await call<Page<Review>>("GET", `${path}/escalations?limit=100`);
      const over = overdue(agents, reviews.items);
      for (const { agent_id } of over) await endTest(path, agent_id);
      if (over.length > 0) await client.invalidateQueries({ queryKey: ["products"] });
      return agents.length - over.length;
    },
    // Only a running test is watched.
    refetchInterval: ({ state }) => ((state.data ?? 0) > 0 ? CHECK_MS : false),
  });
  return null;
}

/** Not shown. In the setup the test purchase ends itself. */
export function TestCleanup() {
  const isOwner = useMay("owner");
  const inSetup = useRouterState({
    select: ({ location }) => location.pathname.endsWith("/setup"),
  });
  return isOwner && !inSetup ? <Cleanup /> : null;
}
