import { useQuery } from "@tanstack/react-query";
import { Link, Navigate, useNavigate, useSearch } from "@tanstack/react-router";
import { type Api, call, type Page as ListPage } from "../api/client.js";
import { useMay, useSite } from "../layout/sites.js";
import { policyQuery } from "../policy/policy.js";
import { processorQuery } from "../settings/processor.js";
import { Button } from "../ui/button.js";
import { Notice } from "../ui/notice.js";
import { Empty, Page } from "../ui/page.js";
import { Documents } from "./documents.js";
import { FirstPolicy } from "./first-policy.js";
import { FirstProcessor } from "./first-processor.js";
import { Install } from "./install.js";
import { STEPS, type Step } from "./steps.js";
import { TestPurchase } from "./test-purchase.js";

const DECIDED: readonly string[] = ["approved", "rejected"];

const LABELS: Readonly<Record<Step, string>> = {
  documents: "Documents",
  install: "Install",
  policy: "Rules",
  processor: "Payments",
  purchase: "Test purchase",
};

/** Which steps are done, as the service knows it, so that people can continue where they stopped. */
function useDone(): Readonly<Record<Step | "sandbox", boolean>> | undefined {
  const { site, path } = useSite();
  const policy = useQuery(policyQuery(path));
  const processor = useQuery(processorQuery(path));
  const decisions = useQuery({
    queryKey: ["decisions", site.site_key_hash, "first"],
    queryFn: () => call<ListPage<Api["Decision"]>>("GET", `${path}/decisions?limit=50`),
  });
  if (!policy.isSuccess || !processor.isSuccess || !decisions.isSuccess) return undefined;
  const verified = site.status === "verified";
  const open = (name: string) =>
    processor.data.gates.some((gate) => gate.name === name && gate.open);
  return {
    // Documents are public and signed only when the domain is verified.
    documents: verified,
    install: verified,
    policy: policy.data !== null,
    processor: ["processor", "rail", "settlement"].every(open),
    sandbox: processor.data.kind === "sandbox",
    // A declined purchase is a result too. One that needs review is not.
    purchase: decisions.data.items.some(({ outcome }) => DECIDED.includes(outcome)),
  };
}

/** What is missing before the test agent can buy, or null. */
function missing(done: Readonly<Record<Step | "sandbox", boolean>>): string | null {
  if (!done.install) return "Verify your domain first (step “Install”).";
  if (!done.policy) return "Publish your rules first (step “Rules”).";
  if (!done.processor) return "Connect the sandbox first (step “Payments”).";
  return done.sandbox
    ? null
    : "The test purchase needs the sandbox, and this site uses another payment provider.";
}

/** The steps from an empty site to a test purchase. */
export function SetupPage() {
  const { site, name } = useSite();
  const { step } = useSearch({ from: "/shell/$site/setup" });
  const navigate = useNavigate({ from: "/$site/setup" });
  const owner = useMay("owner");
  const done = useDone();
  if (!owner) return <Empty title="Only for owners">Ask an owner to set up this site.</Empty>;
  if (done === undefined) return null;
  if (step === undefined) {
    // Documents only have to be read, so the first thing to do is to install.
    const first = STEPS.find((one) => one !== "documents" && !done[one]) ?? "purchase";
    // The address now names the step, so that a finished step does not jump to the next one.
    return <Navigate to="/$site/setup" params={{ site: name }} search={{ step: first }} replace />;
  }
  const shown = STEPS.find((one) => one === step);
  const next = shown === undefined ? undefined : STEPS[STEPS.indexOf(shown) + 1];
  const go = (to: Step) => void navigate({ search: { step: to } });
  const isDone = shown === "documents" || (shown !== undefined && done[shown]);
  return (
    <Page title={`Set up ${site.domain}`} about="You can stop at any time and continue later.">
      <ol className="flex flex-wrap gap-2" aria-label="Steps">
        {STEPS.map((one, place) => (
          <li key={one}>
            <Link
              to="/$site/setup"
              params={{ site: name }}
              search={{ step: one }}
              className="inline-flex items-center gap-2 rounded-full border border-line px-3 py-1 text-sm aria-[current=page]:border-act aria-[current=page]:bg-act/10 aria-[current=page]:font-semibold"
            >
              <span className={done[one] ? "text-act" : "text-soft"}>
                {done[one] ? "✓" : place + 1}
                {done[one] && <span className="sr-only"> done</span>}
              </span>
              {LABELS[one]}
            </Link>
          </li>
        ))}
      </ol>
      {shown === undefined && (
        <Notice bad>The step “{step}” does not exist. Choose one above.</Notice>
      )}
      {step === "documents" && <Documents />}
      {step === "install" && <Install />}
      {step === "policy" && <FirstPolicy />}
      {step === "processor" && <FirstProcessor />}
      {step === "purchase" && <TestPurchase ready={missing(done)} />}
      {next !== undefined && (
        <Button className="self-start" kind={isDone ? "act" : "plain"} onClick={() => go(next)}>
          {isDone ? `Next: ${LABELS[next]}` : "Skip this step"}
        </Button>
      )}
    </Page>
  );
}
