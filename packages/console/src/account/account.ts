import { queryOptions } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";

export const accountQuery = queryOptions({
  queryKey: ["account"],
  queryFn: () => call<Api["OwnAccount"]>("GET", "/v1/console/person"),
});
