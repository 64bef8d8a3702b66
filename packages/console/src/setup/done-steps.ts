import { useQuery } from "@tanstack/react-query";
import { type Api, call, type Page } from "../api/client.js";
import { shopQuery } from "../delivery/shop.js";
import { type Site, UNCHECKED, useSite } from "../layout/sites.js";
import { notificationsQuery } from "../settings/notify-query.js";
import { type Processor, processorQuery } from "../settings/processor.js";
import { type ShopConnection, shopConnectionQuery } from "../settings/shop-connection.js";
import type { Step } from "./steps.js";

/** Visits that are looked at. A visit to a page of another site shows nothing about this one. */
const VISITS_MAX = 20;
/** How often the first visit is looked for. */
const LOOK_MS = 10_000;

const isOnSite = ({ off_site }: Api["Visit"]) => !off_site;

/** `unchecked`: somebody says so, and the service has not seen it. `unneeded`: the shop sells without it. */
export interface StepState {
  readonly is: "done" | "unchecked" | "unneeded" | "todo";
  /** What is known of it, instead of why it matters. */
  readonly note?: string;
}

/** What the service has seen of each step. */
export interface SetupState {
  readonly steps: Readonly<Record<Step, StepState>>;
  readonly processor: Processor;
  readonly connection: ShopConnection | null;
}

/** Whether there is still something to do. */
export const isOpen = ({ steps }: SetupState, step: Step): boolean => steps[step].is === "todo";

const lacks = ({ missing }: Processor, ...names: string[]) =>
  missing.some(({ name }) => names.includes(name));

/** Payments are connected when agents could pay, not when a provider is merely named. */
const paysOut = ({ gates }: Processor) =>
  ["processor", "rail", "settlement"].every((name) =>
    gates.some((gate) => gate.name === name && gate.open),
  );

const doneIf = (isSeen: boolean, note?: string): StepState => {
  if (isSeen) return { is: "done" };
  return note === undefined ? { is: "todo" } : { is: "todo", note };
};

function domainState({ status, verification }: Site): StepState {
  if (status !== "verified") return { is: "todo" };
  if (verification.method !== "operator") return { is: "done" };
  return { is: "unchecked", note: UNCHECKED };
}

function deliveryState(shop: Api["ShopSettings"], connection: ShopConnection | null): StepState {
  if (connection?.sells) {
    return { is: "unneeded", note: `Not needed: ${connection.system} decides the delivery.` };
  }
  if ((shop.shipping ?? []).length > 0) return { is: "done" };
  return shop.delivers === false
    ? { is: "unneeded", note: "Not needed: you deliver nothing." }
    : { is: "todo" };
}

function notifyState(settings: Api["Notifications"]): StepState {
  const { webhook_url, emails, mail_available, delivered_at } = settings;
  if (webhook_url === null && emails.length === 0) return { is: "todo" };
  if (webhook_url === null && !mail_available) {
    return { is: "todo", note: "Saved, but this service cannot send email now." };
  }
  return doneIf(delivered_at !== null, "Saved, but not tried yet. Send a test message.");
}

const ONLY_REAL =
  "Your site takes real payments, so nothing can be tried without money. Your first order completes this step.";

/** What is known of each step. A step has a check mark only if the service has seen that it is done. */
export function useSetupState(enabled: boolean): SetupState | undefined {
  const { site, path } = useSite();
  const first = <Item>(topic: string, rest: string) => ({
    queryKey: [topic, site.site_key_hash, "setup"],
    queryFn: () => call<Page<Item>>("GET", `${path}${rest}`),
    enabled,
  });
  const processor = useQuery({ ...processorQuery(path), enabled });
  const shop = useQuery({ ...shopQuery(path), enabled });
  const connection = useQuery({ ...shopConnectionQuery(path), enabled });
  const notified = useQuery({ ...notificationsQuery(path), enabled });
  const visits = useQuery({
    ...first<Api["Visit"]>("visits", `/visits?limit=${VISITS_MAX}`),
    refetchInterval: ({ state }) => (state.data?.items.some(isOnSite) ? false : LOOK_MS),
  });
  const orders = useQuery(first<Api["Order"]>("orders", "/orders?limit=1"));
  if (!processor.isSuccess || !shop.isSuccess || !notified.isSuccess) return undefined;
  if (!visits.isSuccess || !orders.isSuccess || !connection.isSuccess) return undefined;
  const steps = {
    domain: domainState(site),
    install: doneIf(visits.data.items.some(isOnSite)),
    products: doneIf(
      !lacks(processor.data, "products"),
      connection.data?.sells
        ? `They appear as soon as ${connection.data.system} has sent them.`
        : undefined,
    ),
    delivery: deliveryState(shop.data, connection.data),
    payments: doneIf(paysOut(processor.data)),
    rules: doneIf(!lacks(processor.data, "policy", "rules")),
    notifications: notifyState(notified.data),
    purchase: doneIf(orders.data.items.length > 0, processor.data.live ? ONLY_REAL : undefined),
  };
  return { steps, processor: processor.data, connection: connection.data };
}
