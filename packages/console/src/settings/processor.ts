import { queryOptions } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";

export type Processor = Api["Processor"];

/** Who authorizes payments at a site, and which gates are open. */
export const processorQuery = (path: string) =>
  queryOptions({
    queryKey: ["processor", path],
    queryFn: () => call<Processor>("GET", `${path}/processor`),
  });
