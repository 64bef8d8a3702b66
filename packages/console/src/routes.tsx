import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router";
import { queryText } from "./api/list.js";
import { Shell } from "./layout/shell.js";
import { FirstSite, SiteFrame, SitesPage } from "./layout/site-frame.js";
import { OverviewPage } from "./overview/overview-page.js";
import { isRange, type RangeName } from "./overview/ranges.js";
import { ReviewsPage } from "./reviews/reviews-page.js";
import { isStep, type Step } from "./setup/steps.js";
import { Broken, NotFound } from "./ui/nothing-found.js";

/**
 * Reads these parameters of the address as texts and ignores all others. A value that cannot be used is undefined
 * and not left out: the router keeps what the address has under names that are left out.
 */
function texts<Name extends string>(...names: readonly Name[]) {
  type Texts = { readonly [One in Name]?: string | undefined };
  return (search: Record<string, unknown>): Texts => {
    const text = (value: unknown) =>
      typeof value === "string" && value !== "" ? value : undefined;
    return Object.fromEntries(names.map((name) => [name, text(search[name])])) as Texts;
  };
}

const root = createRootRoute();
const shell = createRoute({ getParentRoute: () => root, id: "shell", component: Shell });
const first = createRoute({ getParentRoute: () => shell, path: "/", component: FirstSite });
const sites = createRoute({ getParentRoute: () => shell, path: "/sites", component: SitesPage });
const newSite = createRoute({
  getParentRoute: () => shell,
  path: "/new",
  component: lazyRouteComponent(() => import("./setup/new-site-page.js"), "NewSitePage"),
});
const account = createRoute({
  getParentRoute: () => shell,
  path: "/account",
  component: lazyRouteComponent(() => import("./account/account-page.js"), "AccountPage"),
});
const connectShop = createRoute({
  getParentRoute: () => shell,
  path: "/connect-shop",
  component: lazyRouteComponent(() => import("./setup/connect-shop-page.js"), "ConnectShopPage"),
  validateSearch: texts("domain", "return", "state", "challenge"),
});
const site = createRoute({ getParentRoute: () => shell, path: "/$site", component: SiteFrame });
const below = { getParentRoute: () => site };

interface HomeSearch {
  readonly range?: RangeName | undefined;
  readonly step?: Step | undefined;
  /** The first and the last day of the range `days`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

const overview = createRoute({
  ...below,
  path: "/",
  component: OverviewPage,
  validateSearch: ({ range, step, ...days }): HomeSearch => ({
    ...texts("from", "to")(days),
    range: isRange(range) ? range : undefined,
    step: isStep(step) ? step : undefined,
  }),
});
const setup = createRoute({
  ...below,
  path: "/setup",
  validateSearch: texts("step"),
  // The setup used to be a page of its own, which guides and bookmarks still name.
  beforeLoad: ({ params, search }) => {
    const { step }: { readonly step?: unknown } = search;
    throw redirect({ to: "/$site", params, search: isStep(step) ? { step } : {}, replace: true });
  },
});
const reviews = createRoute({
  ...below,
  path: "/reviews",
  component: ReviewsPage,
  validateSearch: texts("status"),
});
const review = createRoute({
  ...below,
  path: "/reviews/$id",
  component: lazyRouteComponent(() => import("./reviews/review-page.js"), "ReviewPage"),
});
const decisions = createRoute({
  ...below,
  path: "/decisions",
  component: lazyRouteComponent(() => import("./decisions/decisions-page.js"), "DecisionsPage"),
  validateSearch: texts("outcome", "agent_id", "mandate_id", "from", "to"),
});
const decision = createRoute({
  ...below,
  path: "/decisions/$id",
  component: lazyRouteComponent(() => import("./decisions/decision-page.js"), "DecisionPage"),
});
const orders = createRoute({
  ...below,
  path: "/orders",
  component: lazyRouteComponent(() => import("./orders/orders-page.js"), "OrdersPage"),
  validateSearch: texts("status", "payment", "agent_id", "number", "from", "to", "sort"),
});
const order = createRoute({
  ...below,
  path: "/orders/$id",
  component: lazyRouteComponent(() => import("./orders/order-page.js"), "OrderPage"),
});
const packingSlip = createRoute({
  ...below,
  path: "/orders/$id/slip",
  component: lazyRouteComponent(() => import("./orders/packing-slip.js"), "PackingSlip"),
});
const visits = createRoute({
  ...below,
  path: "/visits",
  component: lazyRouteComponent(() => import("./visits/visits-page.js"), "VisitsPage"),
  validateSearch: texts("classification", "agent", "source", "from", "to"),
});
const questions = createRoute({
  ...below,
  path: "/questions",
  component: lazyRouteComponent(() => import("./questions/questions-page.js"), "QuestionsPage"),
  validateSearch: texts("state"),
});
const question = createRoute({
  ...below,
  path: "/questions/$id",
  component: lazyRouteComponent(() => import("./questions/question-page.js"), "QuestionPage"),
});
const agents = createRoute({
  ...below,
  path: "/agents",
  component: lazyRouteComponent(() => import("./agents/agents-page.js"), "AgentsPage"),
  validateSearch: texts("status", "q"),
});
const agent = createRoute({
  ...below,
  path: "/agents/$id",
  component: lazyRouteComponent(() => import("./agents/agent-page.js"), "AgentPage"),
});
const platforms = createRoute({
  ...below,
  path: "/platforms",
  component: lazyRouteComponent(() => import("./platforms/platforms-page.js"), "PlatformsPage"),
  validateSearch: texts("status", "q"),
});
const platform = createRoute({
  ...below,
  path: "/platforms/$id",
  component: lazyRouteComponent(() => import("./platforms/platform-page.js"), "PlatformPage"),
});
const policy = createRoute({
  ...below,
  path: "/policy",
  component: lazyRouteComponent(() => import("./policy/policy-page.js"), "PolicyPage"),
  validateSearch: ({ mode }): { mode?: "form" | "json" | undefined } => ({
    mode: mode === "json" || mode === "form" ? mode : undefined,
  }),
});
const products = createRoute({
  ...below,
  path: "/products",
  component: lazyRouteComponent(() => import("./products/products-page.js"), "ProductsPage"),
  validateSearch: texts("q", "sort"),
});
const newProduct = createRoute({
  ...below,
  path: "/products/new",
  component: lazyRouteComponent(() => import("./products/product-page.js"), "NewProductPage"),
});
const product = createRoute({
  ...below,
  path: "/products/$id",
  component: lazyRouteComponent(() => import("./products/product-page.js"), "ProductPage"),
});
const delivery = createRoute({
  ...below,
  path: "/delivery",
  component: lazyRouteComponent(() => import("./delivery/delivery-page.js"), "DeliveryPage"),
});
const agentsSee = createRoute({
  ...below,
  path: "/agents-see",
  component: lazyRouteComponent(() => import("./agents-see/agents-see-page.js"), "AgentsSeePage"),
});
const audit = createRoute({
  ...below,
  path: "/audit",
  component: lazyRouteComponent(() => import("./audit/audit-page.js"), "AuditPage"),
  validateSearch: texts("type", "actor", "from", "to", "chain"),
});
const record = createRoute({
  ...below,
  path: "/audit/$id",
  component: lazyRouteComponent(() => import("./audit/record-page.js"), "RecordPage"),
});
const settings = createRoute({
  ...below,
  path: "/settings",
  component: lazyRouteComponent(() => import("./settings/settings-page.js"), "SettingsPage"),
});
const settingsPart = createRoute({
  ...below,
  path: "/settings/$part",
  component: lazyRouteComponent(() => import("./settings/settings-page.js"), "SettingsPage"),
  validateSearch: texts("state"),
});

const pages = [
  overview,
  setup,
  reviews,
  review,
  decisions,
  decision,
  orders,
  order,
  packingSlip,
  visits,
  questions,
  question,
  agents,
  agent,
  platforms,
  platform,
  policy,
  products,
  newProduct,
  product,
  delivery,
  agentsSee,
  audit,
  record,
  settings,
  settingsPart,
] as const;

/** Every page of the console, by its address below /console. */
export const router = createRouter({
  routeTree: root.addChildren([
    shell.addChildren([first, sites, newSite, account, connectShop, site.addChildren([...pages])]),
  ]),
  basepath: "/console",
  // All parameters are texts, also those that look like numbers.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const text = queryText(search);
    return text && `?${text}`;
  },
  defaultNotFoundComponent: NotFound,
  defaultErrorComponent: Broken,
  // Another agent, order or site is a new page, so that no typed text moves from one to the next.
  defaultRemountDeps: ({ params }) => params,
  // Load the code of a page when somebody points at its link.
  defaultPreload: "intent",
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
