import { useQuery } from "@tanstack/react-query";
import { platformText, useKnownAgents } from "../agents/names.js";
import type { Api } from "../api/client.js";
import { allOf } from "../api/list.js";
import { usePeople } from "../layout/people.js";
import { useMay, useSite } from "../layout/sites.js";
import { MINUTE_MS } from "../ui/time-units.js";

/** The tokens of the site, which only owners can list. */
function useTokens(): readonly Api["Token"][] {
  const { path } = useSite();
  const { data } = useQuery({
    queryKey: ["tokens", path, "names"],
    queryFn: () => allOf<Api["Token"]>(`${path}/tokens`, {}, () => undefined),
    enabled: useMay("owner"),
    staleTime: MINUTE_MS,
  });
  return data?.rows ?? [];
}

/** Everybody who acts at the site and is known by name: people, tokens and agents, by ID. */
export function useActors(): ReadonlyMap<string, string> {
  const people = usePeople();
  const tokens = useTokens();
  const agents = useKnownAgents();
  return new Map([
    ...people,
    ...tokens.map(({ token_id, name }) => [token_id, `The token ${name}`] as const),
    ["operator", "The operator token"] as const,
    ...agents.map(({ agent_id, name }) => [agent_id, name] as const),
  ]);
}

/** How people call whoever has an ID. */
export const nameIn = (actors: ReadonlyMap<string, string>) => (id: string) =>
  actors.get(id) ?? platformText(id);
