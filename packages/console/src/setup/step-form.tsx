import { Link } from "@tanstack/react-router";
import { domainText, useSite } from "../layout/sites.js";
import { NotifyPlaces } from "../settings/notifications.js";
import { Notice } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { DeliveryStep } from "./delivery-step.js";
import { isOpen, type SetupState } from "./done-steps.js";
import { FirstPolicy } from "./first-policy.js";
import { FirstProcessor } from "./first-processor.js";
import { Install } from "./install.js";
import { STEP_WORDS, type Step } from "./steps.js";
import { TestPurchase } from "./test-purchase.js";
import { VerifyDomain } from "./verify-domain.js";

/** What is missing before the test agent can buy, or null. */
function missing(state: SetupState): string | null {
  if (isOpen(state, "domain")) return "Verify your domain first.";
  if (isOpen(state, "rules")) return "Set your rules first.";
  return isOpen(state, "payments") ? "Connect payments first." : null;
}

function VerifiedDomain() {
  const { site } = useSite();
  if (site.status !== "verified") return <VerifyDomain />;
  return (
    <Card title={STEP_WORDS.domain[0]}>
      <Notice>
        {domainText(site)}
        {site.verification.method === "operator" && " Your agent page says so."}
      </Notice>
    </Card>
  );
}

/** Products have their own page, with a way back. */
function ProductsStep({ state }: { readonly state: SetupState }) {
  const { name } = useSite();
  const [title, purpose] = STEP_WORDS.products;
  return (
    <Card title={title}>
      <p className="text-sm text-soft">{state.steps.products.note ?? purpose}</p>
      <Link
        to="/$site/products"
        params={{ site: name }}
        state={{ fromSetup: true }}
        className="button-act self-start"
      >
        Open Products
      </Link>
    </Card>
  );
}

/** With a live account, a test would move real money. */
function OnlyRealPurchases() {
  const { name } = useSite();
  return (
    <Card title={STEP_WORDS.purchase[0]}>
      <p className="text-sm text-soft">
        Your site takes real payments, and a test purchase needs the sandbox or a Stripe test key.
        You have two ways to see a purchase:
      </p>
      <ul className="flex list-disc flex-col gap-1.5 pl-5 text-sm">
        <li>
          Before you sell: connect the sandbox or a Stripe test key in{" "}
          <Link
            to="/$site/settings/$part"
            params={{ site: name, part: "payments" }}
            className="link"
          >
            Payments
          </Link>
          , make the test purchase, then enter your live key again.
        </li>
        <li>
          While you sell: let an agent buy something small, then refund the order. Your first order
          completes this step.
        </li>
      </ul>
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
      return <ProductsStep state={state} />;
    case "delivery":
      return <DeliveryStep state={state} />;
    case "payments":
      return <FirstProcessor />;
    case "rules":
      return <FirstPolicy />;
    case "notifications":
      return <NotifyPlaces />;
    case "purchase":
      return state.processor.live ? <OnlyRealPurchases /> : <TestPurchase ready={missing(state)} />;
  }
}
