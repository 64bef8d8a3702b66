import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Api, call, type Page } from "../api/client.js";
import { useMay, useSite } from "../layout/sites.js";
import { processorQuery } from "../settings/processor.js";
import { Card } from "../ui/page.js";

interface Step {
  readonly title: string;
  readonly done: boolean;
  /** What to do, or why it matters. */
  readonly about: string;
  readonly to: (label: ReactNode) => ReactNode;
}

/** The steps, each done only if the service has seen that it is. */
function useSteps(): readonly Step[] | undefined {
  const { site, name, path } = useSite();
  const first = <Item,>(topic: string, rest: string) => ({
    queryKey: [topic, path, "onboarding"],
    queryFn: () => call<Page<Item>>("GET", `${path}${rest}`),
  });
  const processor = useQuery(processorQuery(path));
  const shop = useQuery({
    queryKey: ["shop", path],
    queryFn: () => call<Api["ShopSettings"]>("GET", `${path}/shop`),
  });
  const notified = useQuery({
    queryKey: ["notifications", path],
    queryFn: () => call<Api["Notifications"]>("GET", `${path}/notifications`),
  });
  const visits = useQuery(first<Api["Visit"]>("visits", "/visits?limit=1"));
  const orders = useQuery(first<Api["Order"]>("orders", "/orders?limit=1"));
  if (!processor.isSuccess || !shop.isSuccess || !notified.isSuccess) return undefined;
  if (!visits.isSuccess || !orders.isSuccess) return undefined;
  const lacks = (...names: string[]) =>
    processor.data.missing.some((one) => names.includes(one.name));
  const params = { site: name };
  const setup = (step: "install" | "purchase") => (label: ReactNode) => (
    <Link to="/$site/setup" params={params} search={{ step }} className="link">
      {label}
    </Link>
  );
  const page =
    (to: "/$site/products" | "/$site/delivery" | "/$site/policy") => (label: ReactNode) => (
      <Link to={to} params={params} className="link">
        {label}
      </Link>
    );
  const settings = (part: string) => (label: ReactNode) => (
    <Link to="/$site/settings/$part" params={{ ...params, part }} className="link">
      {label}
    </Link>
  );
  return [
    {
      title: "Verify your domain",
      done: site.status === "verified",
      about: `Agents can find your shop after you prove that you own ${site.domain}.`,
      to: setup("install"),
    },
    {
      title: "Connect your website",
      done: visits.data.items.length > 0,
      about: "Paste the script into your pages. This step is done after the first visit.",
      to: setup("install"),
    },
    {
      title: "Add your products",
      done: !lacks("products"),
      about: "Add them one by one, or import a file.",
      to: page("/$site/products"),
    },
    {
      title: "Set up delivery",
      done: (shop.data.shipping ?? []).length > 0,
      about:
        "Say where you deliver and what delivery costs. Until then, buyers cannot enter an address.",
      to: page("/$site/delivery"),
    },
    {
      title: "Connect payments",
      done: processor.data.kind !== null,
      about: "Start with the sandbox, where no money moves. Connect Stripe when you are ready.",
      to: settings("payments"),
    },
    {
      title: "Set your rules",
      done: !lacks("policy", "rules"),
      about: "Choose what agents can buy by themselves, and what needs your review.",
      to: page("/$site/policy"),
    },
    {
      title: "Set up notifications",
      done: notified.data.emails.length > 0 || notified.data.webhook_url !== null,
      about: "Get an email or a webhook when a purchase needs your review.",
      to: settings("notifications"),
    },
    {
      title: "Make a test purchase",
      done: orders.data.items.length > 0,
      about: "A test agent buys something, like a real one. No money moves.",
      to: setup("purchase"),
    },
  ];
}

/** The steps from an empty site to the first sale. It disappears when all are done. */
export function Onboarding() {
  const owner = useMay("owner");
  return owner ? <Checklist /> : null;
}

function Checklist() {
  const steps = useSteps();
  const left = steps?.filter((step) => !step.done) ?? [];
  const done = steps?.filter((step) => step.done) ?? [];
  if (steps === undefined || left.length === 0) return null;
  const [next] = left;
  return (
    <Card title={`Get ready to sell: ${done.length} of ${steps.length} done`}>
      <progress className="progress" max={steps.length} value={done.length} aria-hidden="true" />
      <ol className="flex flex-col gap-2 text-sm" aria-label="Get ready to sell">
        {left.map((step) => (
          <li key={step.title} className="flex gap-3">
            <span aria-hidden="true" className="text-quiet">
              ○
            </span>
            <span className="min-w-0">
              {step.to(<span className={step === next ? "font-semibold" : ""}>{step.title}</span>)}
              <span className="sr-only"> (to do)</span>
              <span className="block text-soft">{step.about}</span>
            </span>
          </li>
        ))}
      </ol>
      {done.length > 0 && (
        <details className="text-sm text-soft">
          <summary>Show what is done</summary>
          <ul className="mt-2 flex flex-col gap-1">
            {done.map(({ title }) => (
              <li key={title}>
                <span aria-hidden="true" className="mr-3 text-act">
                  ✓
                </span>
                {title}
                <span className="sr-only"> (done)</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  );
}
