import { queryOptions } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";

export type Question = Api["Question"];

/** The address of a question in the API, below the path of its site. */
export const questionPath = (path: string, id: string) =>
  `${path}/questions/${encodeURIComponent(id)}`;

export const questionQuery = (siteKeyHash: string, path: string, id: string) =>
  queryOptions({
    queryKey: ["questions", siteKeyHash, id],
    queryFn: () => call<Question>("GET", questionPath(path, id)),
  });
