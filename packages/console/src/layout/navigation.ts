import {
  Bot,
  ClipboardCheck,
  Eye,
  House,
  ListChecks,
  type LucideIcon,
  MessageCircleQuestionMark,
  Package,
  Scale,
  ScrollText,
  Settings,
  Store,
  Tag,
  TrendingUp,
  Truck,
} from "lucide-react";

const page = <To extends string>(to: To, label: string, icon: LucideIcon) => ({ to, label, icon });

export const HOME = page("/$site", "Home", House);
export const ORDERS = page("/$site/orders", "Orders", Package);
export const REVIEWS = page("/$site/reviews", "Reviews", ClipboardCheck);

/** The pages about agents and platforms, as tabs of one entry of the navigation. */
export const CALLER_PAGES = [
  page("/$site/agents", "Agents", Bot),
  page("/$site/platforms", "Platforms", Store),
  page("/$site/decisions", "Decisions", Scale),
  page("/$site/agents-see", "What agents see", Eye),
] as const;
export const CALLERS = page("/$site/agents", "Agents and platforms", Bot);

/** The pages of a site, in groups. */
export const PAGE_GROUPS = [
  [HOME, ORDERS, REVIEWS],
  [page("/$site/products", "Products", Tag), page("/$site/delivery", "Delivery and taxes", Truck)],
  [
    CALLERS,
    page("/$site/policy", "Rules", ListChecks),
    page("/$site/visits", "Visits", TrendingUp),
    page("/$site/questions", "Questions", MessageCircleQuestionMark),
  ],
  [page("/$site/audit", "Audit log", ScrollText), page("/$site/settings", "Settings", Settings)],
] as const;

export type SitePage = (typeof PAGE_GROUPS)[number][number];

type NamedPage = SitePage | (typeof CALLER_PAGES)[number];

/** Every page of the navigation, each by its own name. */
export const ALL_PAGES: readonly NamedPage[] = [
  ...PAGE_GROUPS.flat().filter((one) => one !== CALLERS),
  ...CALLER_PAGES,
];
