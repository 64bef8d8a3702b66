import { Link, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useSite } from "../layout/sites.js";
import type { SetupState } from "../setup/done-steps.js";
import { STEP_WORDS, STEPS, type Step } from "../setup/steps.js";
import { Loading } from "../ui/loading.js";
import { Card } from "../ui/page.js";

const StepForm = lazy(async () => ({
  default: (await import("../setup/step-form.js")).StepForm,
}));

/** Whether agents can buy, in a sentence. What is missing is in the list below it. */
function readyText({ processor }: SetupState): string {
  if (processor.missing.length > 0) return "Agents cannot buy yet.";
  if (processor.live) return "Ready to sell.";
  return "Ready for test purchases. No money moves until you connect Stripe.";
}

function StepRow({
  step,
  isDone,
  isOpen,
}: {
  readonly step: Step;
  readonly isDone: boolean;
  readonly isOpen: boolean;
}) {
  const { name } = useSite();
  const [title, about] = STEP_WORDS[step];
  return (
    <li className="flex gap-3">
      <span aria-hidden="true" className={isDone ? "text-act" : "text-quiet"}>
        {isDone ? "✓" : "○"}
      </span>
      <span className="min-w-0">
        <Link
          to="/$site"
          params={{ site: name }}
          search={{ step }}
          className={`link ${isOpen ? "font-semibold" : ""}`}
          aria-current={isOpen ? "step" : undefined}
        >
          {title}
        </Link>
        <span className="sr-only"> ({isDone ? "done" : "to do"})</span>
        {!isDone && <span className="block text-soft">{about}</span>}
      </span>
    </li>
  );
}

/** What leads to another step: the next one, or one that was skipped. */
function wordOf(wasSkipped: boolean, isDone: boolean): string {
  if (wasSkipped) return "Still to do";
  return isDone ? "Next" : "Skip for now";
}

/** The form of the open step, and the way to the next one. */
function OpenStep({ step, state }: { readonly step: Step; readonly state: SetupState }) {
  const { name } = useSite();
  const later = STEPS.slice(STEPS.indexOf(step) + 1).find((one) => !state.done[one]);
  const next = later ?? STEPS.find((one) => one !== step && !state.done[one]);
  return (
    <section aria-label={STEP_WORDS[step][0]} className="flex flex-col gap-4">
      <Suspense fallback={<Loading />}>
        <StepForm key={step} step={step} state={state} />
      </Suspense>
      <p className="flex flex-wrap gap-4 text-sm">
        {next !== undefined && (
          <Link to="/$site" params={{ site: name }} search={{ step: next }} className="link">
            {wordOf(later === undefined, state.done[step])}: {STEP_WORDS[next][0]}
          </Link>
        )}
        <Link to="/$site" params={{ site: name }} className="link">
          Close this step
        </Link>
      </p>
    </section>
  );
}

/**
 * The steps from an empty site to the first sale, each with its form. It disappears when all are done, unless a step is
 * opened again.
 */
export function Onboarding({ state }: { readonly state: SetupState }) {
  const { name } = useSite();
  const { step: open } = useSearch({ from: "/shell/$site/" });
  const left = STEPS.filter((step) => !state.done[step]);
  const [next] = left;
  const list = (
    <Card title={`Get ready to sell: ${STEPS.length - left.length} of ${STEPS.length} done`}>
      <progress
        className="progress"
        max={STEPS.length}
        value={STEPS.length - left.length}
        aria-hidden="true"
      />
      <p className="text-sm">{readyText(state)}</p>
      {open === undefined && next !== undefined && (
        <Link
          to="/$site"
          params={{ site: name }}
          search={{ step: next }}
          className="button-act self-start"
        >
          Continue: {STEP_WORDS[next][0]}
        </Link>
      )}
      <ol className="flex flex-col gap-2 text-sm" aria-label="Get ready to sell">
        {STEPS.map((step) => (
          <StepRow key={step} step={step} isDone={state.done[step]} isOpen={step === open} />
        ))}
      </ol>
    </Card>
  );
  if (open === undefined) return left.length === 0 ? null : list;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <OpenStep step={open} state={state} />
      {list}
    </div>
  );
}
