import { queryOptions } from "@tanstack/react-query";
import { type Api, call } from "../api/client.js";
import { choicesOf } from "../ui/words.js";

export type Decision = Api["Decision"];
export type Explained = Api["ExplainedDecision"];

export const OUTCOMES = choicesOf("approved", "escalated", "rejected", "paying");

export const decisionQuery = (siteKeyHash: string, path: string, id: string) =>
  queryOptions({
    queryKey: ["decisions", siteKeyHash, id],
    queryFn: () => call<Explained>("GET", `${path}/decisions/${encodeURIComponent(id)}`),
  });
