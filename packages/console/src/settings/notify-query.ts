import { queryOptions } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";

/** Where the owner is notified. */
export const notificationsQuery = (path: string) =>
  queryOptions({
    queryKey: ["notifications", path],
    queryFn: () => call<Api["Notifications"]>("GET", `${path}/notifications`),
  });
