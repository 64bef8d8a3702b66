import { isJsonObject, type JsonObject } from "@gatehouse/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Who } from "../layout/people.js";
import { useSite } from "../layout/sites.js";
import { versionQuery } from "../policy/versions.js";
import { DENIALS, deciderOf, type Review, reviewQuery, stateText } from "../reviews/reviews.js";
import { Time } from "../ui/time.js";
import { plainWord, titleOf } from "../ui/words.js";
import type { Explained } from "./decisions.js";

const text = (value: unknown) => (typeof value === "string" ? value : "");

/** The rules that decided, by ID. */
export function useRules({ policy_version }: Explained): ReadonlyMap<string, JsonObject> {
  const { path } = useSite();
  const { data } = useQuery(versionQuery(path, policy_version));
  const rules = data?.document.rules;
  const listed = Array.isArray(rules) ? rules.filter((rule) => isJsonObject(rule)) : [];
  return new Map(listed.map((rule) => [text(rule.id), rule]));
}

const EFFECTS: Readonly<Record<string, string>> = {
  allow: "approved it",
  escalate: "asked for a review",
  deny: "declined it",
};

/** A budget in the rules is named as a rule. Without a rule it was the shared limit of platforms. */
export const POOL_TEXT =
  "Platforms that you have not admitted reached their shared limit. Admit this platform or raise the limit.";

/** The result of the rules in words. */
function ruleText({ rule_id, reason, rules }: Explained, rule: JsonObject | undefined): string {
  if (rules.length === 0)
    return `Declined before your rules were evaluated: ${plainWord(reason ?? "")}.`;
  if (rule_id === null && reason === "budget_exceeded") return POOL_TEXT;
  if (rule_id === null) return "No rule matched, so the default decided.";
  const title = text(rule?.title);
  const named = title === "" ? `The rule ${rule_id}` : `The rule “${title}”`;
  return `${named} ${EFFECTS[text(rule?.effect)] ?? "decided"}.`;
}

function reviewText(review: Review): ReactNode {
  const { decided_at, reason_code, note } = review;
  const decider = deciderOf(review);
  const why =
    reason_code === null
      ? ""
      : ((DENIALS as Record<string, string>)[reason_code] ?? plainWord(reason_code));
  return (
    <>
      {stateText(review)}{" "}
      {decider !== null && (
        <>
          Decided by <Who id={decider} />
          {decided_at !== null && ", "}
        </>
      )}
      {decided_at !== null && <Time at={decided_at} />}
      {why !== "" && `: ${why}`}
      {note !== null && ` (note: ${note})`}
    </>
  );
}

/** What happened, one sentence after another. */
export function Story({ decision }: { readonly decision: Explained }) {
  const { site, name } = useSite();
  const rule = useRules(decision).get(decision.rule_id ?? "");
  const { escalation_id, order_id, order_number, payment } = decision;
  const review = useQuery({
    ...reviewQuery(site.site_key_hash, escalation_id ?? ""),
    enabled: escalation_id !== null,
  });
  const steps: ReactNode[] = [ruleText(decision, rule)];
  if (review.data !== undefined) {
    steps.push(
      <>
        {reviewText(review.data)}{" "}
        <Link
          to="/$site/reviews/$id"
          params={{ site: name, id: review.data.escalation_id }}
          className="link"
        >
          Show the review
        </Link>
      </>,
    );
  }
  const quoted = review.data?.purchase?.quoted_at;
  if (quoted) {
    steps.push(
      <>
        The prices came from your shop on <Time at={quoted} />.
      </>,
    );
  }
  if (payment !== null) {
    const why = payment.reason === null ? "" : ` (${plainWord(payment.reason)})`;
    steps.push(
      `State of the payment with ${titleOf(payment.processor)} at the decision: ${plainWord(payment.status)}${why}.`,
    );
  }
  if (order_id !== null) {
    steps.push(
      <Link to="/$site/orders/$id" params={{ site: name, id: order_id }} className="link">
        Show order #{order_number}
      </Link>,
    );
  }
  return (
    <ol className="flex list-decimal flex-col gap-1 pl-5 text-sm">
      {steps.map((step, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: steps are known by their place.
        <li key={place}>{step}</li>
      ))}
    </ol>
  );
}
