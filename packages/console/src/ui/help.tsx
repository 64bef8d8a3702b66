import { useMatches } from "@tanstack/react-router";
import { CircleQuestionMark } from "lucide-react";

/** The part of the documentation that explains each page, below /docs/guide. */
export const HELP: Readonly<Record<string, string>> = {
  "/$site/": "console.md#pages",
  "/$site/orders": "sell.md#after-the-sale",
  "/$site/orders/$id": "sell.md#after-the-sale",
  "/$site/reviews": "sell.md#reviews",
  "/$site/reviews/$id": "sell.md#reviews",
  "/$site/products": "sell.md#keep-your-products-up-to-date",
  "/$site/products/new": "sell.md#pictures-of-your-products",
  "/$site/products/$id": "sell.md#pictures-of-your-products",
  "/$site/delivery": "sell.md#delivery-taxes-and-terms",
  "/$site/agents": "owner.md#approve-agents",
  "/$site/agents/$id": "owner.md#approve-agents",
  "/$site/platforms": "sell.md#which-platforms-may-buy",
  "/$site/platforms/$id": "sell.md#which-platforms-may-buy",
  "/$site/policy": "owner.md#set-your-rules",
  "/$site/decisions": "mandates.md#see-what-was-decided",
  "/$site/decisions/$id": "mandates.md#see-what-was-decided",
  "/$site/visits": "owner.md#connect-your-website-and-see-visits",
  "/$site/questions": "owner.md#answer-questions-from-agents",
  "/$site/questions/$id": "owner.md#answer-questions-from-agents",
  "/$site/agents-see": "owner.md#preview-what-agents-will-read",
  "/$site/audit": "owner.md#check-the-audit-log",
  "/$site/audit/$id": "audit.md#check-one-record",
  "/$site/settings": "console.md#pages",
  "/$site/settings/site": "owner.md#change-or-delete-your-site",
  "/$site/settings/skills": "owner.md#say-what-your-site-offers-to-agents",
  "/$site/settings/payments": "sell.md#check-that-you-are-ready-to-sell",
  "/$site/settings/shop": "wordpress.md#connect-your-site",
  "/$site/settings/notifications": "notifications.md#set-up-notifications",
  "/$site/settings/buyers": "personal-data.md#answer-a-buyer-who-asks",
  "/$site/settings/people": "console.md#people",
  "/$site/settings/tokens": "operator.md#tokens",
  "/$site/settings/keys": "verify.md#what-to-trust",
  "/account": "console.md#people",
  "/sites": "owner.md#add-your-site",
  "/new": "owner.md#add-your-site",
  "/connect-shop": "wordpress.md#connect-your-site",
};

/** Leads to the documentation of this page, beside it, so that nothing typed is lost. */
export function HelpLink() {
  const page = useMatches({
    select: (matches) => {
      const last = matches.at(-1);
      const { part = "" } = (last?.params ?? {}) as { readonly part?: string };
      return last?.fullPath.replace("$part", part);
    },
  });
  const help = HELP[page ?? ""];
  if (help === undefined) return null;
  return (
    <a
      href={`/docs/guide/${help}`}
      target="_blank"
      rel="noreferrer"
      className="flex items-center gap-1.5 self-start py-1.5 text-sm text-soft hover:text-ink print:hidden"
    >
      <CircleQuestionMark aria-hidden size={16} strokeWidth={1.75} />
      How this works
    </a>
  );
}
