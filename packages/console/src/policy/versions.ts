import { queryOptions } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";

/** One version of the rules. Versions never change. */
export const versionQuery = (path: string, version: number | null) =>
  queryOptions({
    queryKey: ["policy-version", path, version],
    queryFn: () => call<Api["Policy"]>("GET", `${path}/policy/versions/${version}`),
    enabled: version !== null && version > 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
