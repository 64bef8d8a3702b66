import { buyingText, PLACE_ORDER } from "@gatehouse/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { useSite } from "../layout/sites.js";
import { FromShop } from "../settings/shop-connection.js";
import { isTurnedOn, skillsQuery } from "../settings/skills-query.js";
import { isOpen, type SetupState, type StepState } from "../setup/done-steps.js";
import { STEP_WORDS, STEPS, type Step } from "../setup/steps.js";
import { Loading } from "../ui/loading.js";
import { Card } from "../ui/page.js";
import { MissingLink, missingOutsideSteps } from "./missing.js";

const StepForm = lazy(async () => ({
  default: (await import("../setup/step-form.js")).StepForm,
}));

/** Whether agents can buy, in a sentence. What is missing is below it. */
function readyText({ processor }: SetupState): string {
  if (processor.missing.length > 0) return "Agents cannot buy yet.";
  if (processor.live) return "Ready to sell.";
  return "Ready for test purchases. No money moves until you connect Stripe.";
}

/** Where the products of a connected shop are changed. */
const ShopLine = ({ connection }: SetupState) =>
  connection?.sells && <FromShop system={connection.system} />;

/** Whether agents can buy, once no step is left. What is missing is among what needs attention. */
function Readiness({ state }: { readonly state: SetupState }) {
  const { name, path } = useSite();
  const { data: skills } = useQuery(skillsQuery(path));
  const { processor, steps } = state;
  if (skills === undefined || processor.missing.length > 0) return null;
  const { is, note } = steps.domain;
  return (
    <p role="status" className="text-sm text-soft">
      {readyText(state)} {is === "unchecked" && `Your domain: ${note} `}
      {buyingText(processor.offered)}
      {!isTurnedOn(skills, PLACE_ORDER) && (
        <>
          {" “Place an order” is off. "}
          <Link to="/$site/settings/$part" params={{ site: name, part: "skills" }} className="link">
            Open the actions
          </Link>
        </>
      )}
    </p>
  );
}

/** What keeps agents from buying, and is no step. */
function OtherObstacles({ processor }: SetupState) {
  const missing = [...missingOutsideSteps(processor)];
  if (missing.length === 0) return null;
  return (
    <div className="text-sm">
      <p>Besides the steps below:</p>
      <ul className="mt-1 flex list-disc flex-col gap-1 pl-5">
        {missing.map(([place, advice]) => (
          <li key={place}>
            <MissingLink place={place} text={advice} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A check mark is only for what the service has seen. */
const MARKS: Readonly<Record<StepState["is"], readonly [mark: string, word: string]>> = {
  done: ["✓", "done"],
  unchecked: ["–", "not checked"],
  unneeded: ["–", "not needed"],
  todo: ["○", "to do"],
};

function StepRow({
  step,
  state,
  isCurrent,
}: {
  readonly step: Step;
  readonly state: StepState;
  readonly isCurrent: boolean;
}) {
  const { name } = useSite();
  const [title, purpose] = STEP_WORDS[step];
  const [mark, word] = MARKS[state.is];
  const isDone = state.is === "done";
  return (
    <li className="flex gap-3">
      <span
        aria-hidden="true"
        className={`w-4 shrink-0 text-center ${isDone ? "text-act" : "text-quiet"}`}
      >
        {mark}
      </span>
      <span className="min-w-0">
        <Link
          to="/$site"
          params={{ site: name }}
          search={{ step }}
          className={`link ${isCurrent ? "font-semibold" : ""}`}
          aria-current={isCurrent ? "step" : undefined}
        >
          {title}
        </Link>
        <span className="sr-only"> ({word})</span>
        {!isDone && <span className="block text-soft">{state.note ?? purpose}</span>}
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
  const later = STEPS.slice(STEPS.indexOf(step) + 1).find((one) => isOpen(state, one));
  const next = later ?? STEPS.find((one) => one !== step && isOpen(state, one));
  return (
    <section aria-label={STEP_WORDS[step][0]} className="flex flex-col gap-4">
      <Suspense fallback={<Loading />}>
        <StepForm key={step} step={step} state={state} />
      </Suspense>
      <p className="flex flex-wrap gap-4 text-sm">
        {next !== undefined && (
          <Link to="/$site" params={{ site: name }} search={{ step: next }} className="link">
            {wordOf(later === undefined, !isOpen(state, step))}: {STEP_WORDS[next][0]}
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
 * The steps from an empty site to the first sale, each with its form. When all are done, a sentence says whether agents
 * can buy, unless a step is opened again.
 */
export function Onboarding({ state }: { readonly state: SetupState }) {
  const { name } = useSite();
  const { step: open } = useSearch({ from: "/shell/$site/" });
  const left = STEPS.filter((step) => isOpen(state, step));
  const needed = STEPS.filter((step) => state.steps[step].is !== "unneeded");
  const done = needed.filter((step) => state.steps[step].is === "done");
  const [next] = left;
  const list = (
    <Card title={`Get ready to sell: ${done.length} of ${needed.length} done`}>
      <progress className="progress" max={needed.length} value={done.length} aria-hidden="true" />
      <p className="text-sm">{readyText(state)}</p>
      <ShopLine {...state} />
      <OtherObstacles {...state} />
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
      <ol
        className={`grid gap-2 text-sm ${open === undefined ? "sm:grid-cols-2" : ""}`}
        aria-label="Get ready to sell"
      >
        {STEPS.map((step) => (
          <StepRow key={step} step={step} state={state.steps[step]} isCurrent={step === open} />
        ))}
      </ol>
    </Card>
  );
  if (open === undefined) {
    if (left.length > 0) return list;
    return (
      <>
        <Readiness state={state} />
        <ShopLine {...state} />
      </>
    );
  }
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 lg:grid-cols-[minmax(0,1fr)_20rem]">
      <OpenStep step={open} state={state} />
      {list}
    </div>
  );
}
