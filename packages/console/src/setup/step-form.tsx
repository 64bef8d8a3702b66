import { Link } from "@tanstack/react-router";
import { useSite } from "../layout/sites.js";
import { NotifyPlaces } from "../settings/notifications.js";
import { Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import type { SetupState } from "./done-steps.js";
import { FirstPolicy } from "./first-policy.js";
import { FirstProcessor } from "./first-processor.js";
import { Install } from "./install.js";
import { STEP_WORDS, type Step } from "./steps.js";
import { TestPurchase } from "./test-purchase.js";
import { VerifyDomain } from "./verify-domain.js";

/** What is missing before the test agent can buy, or null. */
function missing({ done, processor }: SetupState): string | null {
  if (!done.domain) return "Verify your domain first.";
  if (!done.rules) return "Set your rules first.";
  if (!done.payments) return "Connect payments first.";
  return processor.kind === "sandbox"
    ? null
    : "The test purchase needs the sandbox, and this site uses another payment provider.";
}

function VerifiedDomain() {
  const { site } = useSite();
  if (site.status !== "verified") return <VerifyDomain />;
  return (
    <Card title={STEP_WORDS.domain[0]}>
      <Notice>
        {site.verification.method === "operator"
          ? `You confirmed ${site.domain} without a check. Your agent page says so.`
          : `${site.domain} is verified.`}
      </Notice>
    </Card>
  );
}

/** A step that has its own page, with a way back. */
function OwnPage({ step, to }: { readonly step: Step; readonly to: "products" | "delivery" }) {
  const { name } = useSite();
  const [title, about] = STEP_WORDS[step];
  return (
    <Card title={title}>
      <p className="text-sm text-soft">{about}</p>
      <Link
        to={`/$site/${to}`}
        params={{ site: name }}
        state={{ fromSetup: true }}
        className="button-act self-start"
      >
        {to === "products" ? "Open Products" : "Open Delivery and taxes"}
      </Link>
    </Card>
  );
}

/** The form of a step. */
export function StepForm({ step, state }: { readonly step: Step; readonly state: SetupState }) {
  switch (step) {
    case "domain":
      return <VerifiedDomain />;
    case "install":
      return <Install />;
    case "products":
    case "delivery":
      return <OwnPage step={step} to={step} />;
    case "payments":
      return <FirstProcessor />;
    case "rules":
      return <FirstPolicy />;
    case "notifications":
      return <NotifyPlaces />;
    case "purchase":
      return <TestPurchase ready={missing(state)} />;
  }
}
