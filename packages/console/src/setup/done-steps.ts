import { useQuery } from "@tanstack/react-query";
import { type Api, call, type Page } from "../api/client.js";
import { useSite } from "../layout/sites.js";
import { type Processor, processorQuery } from "../settings/processor.js";
import type { Step } from "./steps.js";

/** Visits that are looked at. A visit to a page of another site shows nothing about this one. */
const VISITS_MAX = 20;
/** How often the first visit is looked for. */
const LOOK_MS = 10_000;

const isOnSite = ({ off_site }: Api["Visit"]) => !off_site;

/** What the service has seen of each step. */
export interface SetupState {
  readonly done: Readonly<Record<Step, boolean>>;
  readonly processor: Processor;
}

const lacks = ({ missing }: Processor, ...names: string[]) =>
  missing.some(({ name }) => names.includes(name));

/** Payments are connected when agents could pay, not when a provider is merely named. */
const paysOut = ({ gates }: Processor) =>
  ["processor", "rail", "settlement"].every((name) =>
    gates.some((gate) => gate.name === name && gate.open),
  );

/** Which steps are done. A step is done only if the service has seen that it is. */
export function useSetupState(enabled: boolean): SetupState | undefined {
  const { site, path } = useSite();
  const first = <Item>(topic: string, rest: string) => ({
    queryKey: [topic, site.site_key_hash, "setup"],
    queryFn: () => call<Page<Item>>("GET", `${path}${rest}`),
    enabled,
  });
  const processor = useQuery({ ...processorQuery(path), enabled });
  const shop = useQuery({
    queryKey: ["shop", path],
    queryFn: () => call<Api["ShopSettings"]>("GET", `${path}/shop`),
    enabled,
  });
  const notified = useQuery({
    queryKey: ["notifications", path],
    queryFn: () => call<Api["Notifications"]>("GET", `${path}/notifications`),
    enabled,
  });
  const visits = useQuery({
    ...first<Api["Visit"]>("visits", `/visits?limit=${VISITS_MAX}`),
    refetchInterval: ({ state }) => (state.data?.items.some(isOnSite) ? false : LOOK_MS),
  });
  const orders = useQuery(first<Api["Order"]>("orders", "/orders?limit=1"));
  if (!processor.isSuccess || !shop.isSuccess || !notified.isSuccess) return undefined;
  if (!visits.isSuccess || !orders.isSuccess) return undefined;
  const done = {
    domain: site.status === "verified",
    install: visits.data.items.some(isOnSite),
    products: !lacks(processor.data, "products"),
    delivery: (shop.data.shipping ?? []).length > 0,
    payments: paysOut(processor.data),
    rules: !lacks(processor.data, "policy", "rules"),
    notifications: notified.data.emails.length > 0 || notified.data.webhook_url !== null,
    purchase: orders.data.items.length > 0,
  };
  return { done, processor: processor.data };
}
