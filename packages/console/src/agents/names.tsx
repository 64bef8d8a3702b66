import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type Api, call, type Page } from "../api/client.js";
import { useSite } from "../layout/sites.js";
import { AgentName } from "./agents.js";

/** Agents whose names are known beforehand; others are shown by their ids. */
const KNOWN_MAX = 200;

/** An agent by its id; undefined for platforms and for who is not known. */
function useAgent(id: string): Api["Agent"] | undefined {
  const { site, path } = useSite();
  const { data } = useQuery({
    queryKey: ["agents", site.site_key_hash, "names"],
    queryFn: () => call<Page<Api["Agent"]>>("GET", `${path}/agents?limit=${KNOWN_MAX}`),
    staleTime: 60_000,
  });
  return data?.items.find(({ agent_id }) => agent_id === id);
}

/** Who asked, in a list: a name where one is known, and the way to the agent. */
export function Asker({ id }: { readonly id: string }) {
  const { name: site } = useSite();
  const agent = useAgent(id);
  if (!id.startsWith("agt_")) return <span className="break-all">{id}</span>;
  return (
    <Link to="/$site/agents/$id" params={{ site, id }} title={id} className="link break-all">
      {agent === undefined ? id : <AgentName agent={agent} />}
    </Link>
  );
}
