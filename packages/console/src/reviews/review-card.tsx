import { Link } from "@tanstack/react-router";
import { Asker } from "../agents/names.js";
import { useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Id } from "../ui/id.js";
import { Notice } from "../ui/notice.js";
import { Facts } from "../ui/page.js";
import { skillTitle } from "../ui/skill-title.js";
import { Time } from "../ui/time.js";
import { HOUR_MS } from "../ui/time-units.js";
import { agoText, moneyText, plainWord, spanText } from "../ui/words.js";
import { AgentHistory } from "./agent-history.js";
import { Breakdown } from "./breakdown.js";
import { Buyer } from "./buyer.js";
import { DecideForm } from "./decide-form.js";
import { Goods } from "./goods.js";
import { Part } from "./part.js";
import { PlannedVerdict } from "./planned-verdict.js";
import { type Review, reviewState } from "./reviews.js";
import { WhyAsked } from "./why-asked.js";

/** With less time left than this, the time is highlighted. */
const HURRY_MS = HOUR_MS;

function TimeLeft({ review }: { readonly review: Review }) {
  const left = Date.parse(review.expires_at) - Date.now();
  const age = Date.now() - Date.parse(review.created_at);
  return (
    <span className={`text-sm ${left < HURRY_MS ? "font-medium text-warn" : "text-soft"}`}>
      Requested {agoText(age)}, {spanText(left)} left (until <Time at={review.expires_at} />)
    </span>
  );
}

const isAgent = ({ agent_id }: Review) => agent_id.startsWith("agt_");

/** Without a proof, anybody can use any name, so these requests may come from somebody else. */
function earlierTitle(review: Review): string {
  if (review.agent_id === "unsigned caller") return "Earlier requests of unknown callers";
  if (review.agent_id.startsWith("unsigned "))
    return "Earlier requests under this name, without proof of identity";
  return `Earlier requests of this ${isAgent(review) ? "agent" : "platform"}`;
}

/** The numbers of a review, for those who look for them. */
function Details({ review }: { readonly review: Review }) {
  const { escalation_id, mandate_id, agent_id, rule_id, items } = review;
  const id = (label: string, value: string) => <Id key={value} value={value} label={label} />;
  const asker = isAgent(review) ? "Agent ID" : "Platform";
  return (
    <details className="text-sm sm:col-span-2">
      <summary className="text-soft">Details</summary>
      <div className="mt-2">
        <Facts
          rows={[
            ["Review ID", id("review ID", escalation_id)],
            ["Request ID", id("request ID", mandate_id)],
            [asker, id(plainWord(asker), agent_id)],
            ["Rule ID", id("rule ID", rule_id)],
            ["Product numbers", items.map((item) => id("product number", item.id))],
          ]}
        />
      </div>
    </details>
  );
}

interface CardProps {
  readonly review: Review;
  readonly mayDecide: boolean;
  /** Whether the card links to the page of the review. */
  readonly linked?: boolean;
  /** Whether its buttons stand out. */
  readonly isFirst?: boolean;
  onDecided(status: Review["status"]): void;
}

/** The buttons of a review, or what was just decided. */
function Actions({ review, mayDecide, isFirst = true, onDecided }: CardProps) {
  const { site } = useSite();
  const planned = review.verdict?.problem === null ? review.verdict : null;
  const siteKeyHash = site.site_key_hash;
  if (planned !== null)
    return <PlannedVerdict siteKeyHash={siteKeyHash} review={review} verdict={planned} />;
  if (!mayDecide || review.status !== "pending") return null;
  const props = { siteKeyHash, review, isFirst, onDecided };
  return <DecideForm key={review.escalation_id} {...props} />;
}

/** One review: the amount and what to decide it by, in the order of importance. */
export function ReviewCard({ linked = true, ...props }: CardProps) {
  const { review } = props;
  const { name } = useSite();
  const title = moneyText(review.amount) || skillTitle(review.skill);
  const problem = review.verdict?.problem ?? null;
  return (
    <article
      data-review
      tabIndex={-1}
      aria-label={`Review: ${title}`}
      className="flex flex-col gap-4 rounded-lg border border-line bg-card p-4 sm:grid sm:grid-cols-[1fr_auto]"
    >
      <header className="flex min-w-0 flex-col gap-1">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h2 className="text-xl font-semibold tracking-tight tabular-nums">
            {linked ? (
              <Link
                to="/$site/reviews/$id"
                params={{ site: name, id: review.escalation_id }}
                className="hover:underline"
              >
                {title}
              </Link>
            ) : (
              title
            )}
          </h2>
          <Badge word={reviewState(review)} />
        </div>
        <p className="text-sm text-soft">
          {skillTitle(review.skill)}, by <Asker id={review.agent_id} />
        </p>
        {review.status === "pending" && <TimeLeft review={review} />}
        {review.status === "pending" && review.paid_by_person && (
          <p className="text-sm">The buyer pays on the payment page after you approve.</p>
        )}
      </header>
      <Actions {...props} />
      {problem !== null && (
        <div className="sm:col-span-2">
          <Notice bad>The approval did not take effect. {problem}</Notice>
        </div>
      )}
      <div className="grid gap-x-8 gap-y-4 sm:col-span-2 md:grid-cols-2">
        <Goods review={review} />
        <Buyer review={review} />
        <Breakdown review={review} />
        <WhyAsked review={review} />
        <Part title={earlierTitle(review)}>
          <AgentHistory agentId={review.agent_id} but={review.mandate_id} />
        </Part>
      </div>
      <Details review={review} />
    </article>
  );
}
