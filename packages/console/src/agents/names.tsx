import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Api, call, type Page } from "../api/client.js";
import { useSite } from "../layout/sites.js";
import { MINUTE_MS } from "../ui/time-units.js";
import { AgentName } from "./agents.js";

/** So many agents are shown by name, the others by ID. */
const KNOWN_MAX = 200;

/** The agents that are shown by name. */
export function useKnownAgents(): readonly Api["Agent"][] {
  const { site, path } = useSite();
  const { data } = useQuery({
    queryKey: ["agents", site.site_key_hash, "names"],
    queryFn: () => call<Page<Api["Agent"]>>("GET", `${path}/agents?limit=${KNOWN_MAX}`),
    staleTime: MINUTE_MS,
  });
  return data?.items ?? [];
}

/** A platform by the host of its profile. The whole address is only needed by programs. */
export function platformText(id: string): string {
  const url = id.split(" ").at(-1) ?? "";
  if (!URL.canParse(url)) return id === "unsigned caller" ? "Unknown (no proof of identity)" : id;
  return id === url ? new URL(url).host : `${new URL(url).host} (no proof of identity)`;
}

/** The agent or platform behind a request, with a link to the agent. */
export function Asker({ id }: { readonly id: string }) {
  const { name: site } = useSite();
  const agent = useKnownAgents().find(({ agent_id }) => agent_id === id);
  if (!id.startsWith("agt_")) {
    return (
      <span className="break-words" title={id}>
        {platformText(id)}
      </span>
    );
  }
  return (
    <Link to="/$site/agents/$id" params={{ site, id }} title={id} className="link break-all">
      {agent === undefined ? id : <AgentName agent={agent} />}
    </Link>
  );
}
