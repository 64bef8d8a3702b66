import { useQuery } from "@tanstack/react-query";
import type { Api } from "../api/client.js";
import { allOf } from "../api/list.js";
import { MINUTE_MS } from "../ui/time-units.js";
import { useSite } from "./sites.js";

const NOBODY: ReadonlyMap<string, string> = new Map();

/** The names of people by ID. Records contain only IDs. */
export function usePeople(): ReadonlyMap<string, string> {
  const { path } = useSite();
  const { data } = useQuery({
    queryKey: ["people", path, "names"],
    queryFn: async () => {
      const { rows } = await allOf<Api["Person"]>(`${path}/people`, {}, () => undefined);
      return new Map(rows.map(({ person_id, name }) => [person_id, name]));
    },
    staleTime: MINUTE_MS,
  });
  return data ?? NOBODY;
}

/** A person by name, or a token by ID. */
export function Who({ id }: { readonly id: string }) {
  return <>{usePeople().get(id) ?? id}</>;
}
