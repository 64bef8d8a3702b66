import { SETTINGS_PARTS } from "../src/settings/parts.ts";
import { STEPS } from "../src/setup/steps.ts";

/** Where the ids of pages are listed, by what they name, and the member of an item that is one. */
const LISTS = {
  order: ["orders", "order_id"],
  review: ["escalations", "escalation_id"],
  product: ["products", "id"],
  agent: ["agents", "agent_id"],
  platform: ["platforms", "platform"],
  decision: ["decisions", "decision_id"],
  question: ["questions", "question_id"],
  record: ["audit/records", "record_id"],
} as const;
export type Kind = keyof typeof LISTS;

interface SeenPage {
  /** What its picture is called. */
  readonly name: string;
  /** As in `routes.tsx`. */
  readonly route: string;
  /** What `$id` names. */
  readonly id?: Kind;
  readonly part?: string;
  readonly search?: string;
}

const list = (name: string, id: Kind): SeenPage[] => [
  { name, route: `/$site/${name}` },
  { name: id, route: `/$site/${name}/$id`, id },
];

/**
 * Every page of the console for who is signed in: photographed by `scripts/console-screens.mjs`, and examined for
 * barriers and buttons.
 */
export const EVERY_PAGE: readonly SeenPage[] = [
  { name: "sites", route: "/sites" },
  { name: "new", route: "/new" },
  { name: "account", route: "/account" },
  { name: "connect-shop", route: "/connect-shop" },
  { name: "home", route: "/$site/" },
  ...STEPS.map((step) => ({ name: `setup-${step}`, route: "/$site/", search: `?step=${step}` })),
  ...list("orders", "order"),
  { name: "slip", route: "/$site/orders/$id/slip", id: "order" },
  ...list("reviews", "review"),
  { name: "past-reviews", route: "/$site/reviews", search: "?status=all" },
  ...list("products", "product"),
  { name: "new-product", route: "/$site/products/new" },
  { name: "delivery", route: "/$site/delivery" },
  ...list("agents", "agent"),
  ...list("platforms", "platform"),
  ...list("decisions", "decision"),
  { name: "agents-see", route: "/$site/agents-see" },
  { name: "policy", route: "/$site/policy" },
  { name: "policy-json", route: "/$site/policy", search: "?mode=json" },
  { name: "visits", route: "/$site/visits" },
  ...list("questions", "question"),
  ...list("audit", "record"),
  { name: "settings", route: "/$site/settings" },
  ...Object.keys(SETTINGS_PARTS).map((part) => ({
    name: `settings-${part}`,
    route: "/$site/settings/$part",
    part,
  })),
  { name: "unknown-page", route: "/$site/$unknown", part: "nothing" },
];

/** Where a page is below `/console`. */
export function addressOf(
  { route, id, part = "", search = "" }: SeenPage,
  site: string,
  ids: Readonly<Record<Kind, string>>,
): string {
  const path = route
    .replace("$site", encodeURIComponent(site))
    .replace("$id", id === undefined ? "" : encodeURIComponent(ids[id]))
    .replace(/\$(part|unknown)/, part)
    .replace(/(?<=.)\/$/, "");
  return path + search;
}

type Row = Readonly<Record<string, unknown>> & { readonly record?: Row };

/** The first of each kind, asked for with `get` by a path below the site's. */
export async function firstIds(
  get: (path: string) => Promise<{ readonly items: readonly Row[] }>,
): Promise<Record<Kind, string>> {
  const found: Partial<Record<Kind, string>> = {};
  for (const [kind, [path, member]] of Object.entries(LISTS)) {
    const [first] = (await get(`/${path}`)).items;
    const id = (first?.record ?? first)?.[member];
    if (typeof id !== "string") throw new Error(`there is no ${kind} to show`);
    found[kind as Kind] = id;
  }
  return found as Record<Kind, string>;
}
