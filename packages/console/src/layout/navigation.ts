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

/** The pages of a site, in groups. */
export const PAGE_GROUPS = [
  [HOME, ORDERS, REVIEWS],
  [page("/$site/products", "Products", Tag), page("/$site/delivery", "Delivery and taxes", Truck)],
  [
    page("/$site/agents", "Agents", Bot),
    page("/$site/platforms", "Platforms", Store),
    page("/$site/policy", "Rules", ListChecks),
    page("/$site/decisions", "Decisions", Scale),
    page("/$site/visits", "Visits", TrendingUp),
    page("/$site/questions", "Questions", MessageCircleQuestionMark),
    page("/$site/agents-see", "What agents see", Eye),
  ],
  [page("/$site/audit", "Audit log", ScrollText), page("/$site/settings", "Settings", Settings)],
] as const;

export type SitePage = (typeof PAGE_GROUPS)[number][number];
