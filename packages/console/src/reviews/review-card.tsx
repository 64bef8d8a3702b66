import { Link } from "@tanstack/react-router";
import { Asker } from "../agents/names.js";
import { useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Id } from "../ui/id.js";
import { Notice } from "../ui/notice.js";
import { Facts } from "../ui/page.js";
import { skillTitle } from "../ui/skill-title.js";
import { Time } from "../ui/time.js";
import { agoText, moneyText, spanText } from "../ui/words.js";
import { AgentHistory } from "./agent-history.js";
import { DecideForm } from "./decide-form.js";
import { PlannedVerdict } from "./planned-verdict.js";
import { type Review, reviewState } from "./reviews.js";

/** With less time left than this, the time is highlighted. */
const HURRY_MS = 3_600_000;

function TimeLeft({ review }: { readonly review: Review }) {
  const left = Date.parse(review.expires_at) - Date.now();
  const age = Date.now() - Date.parse(review.created_at);
  return (
    <span className={`text-sm ${left < HURRY_MS ? "font-medium text-warn" : "text-soft"}`}>
      Requested {agoText(age)}, {spanText(left)} left (until <Time at={review.expires_at} />)
    </span>
  );
}

/** The agent, with a link, or the platform by its address. */
export function Who({ id }: { readonly id: string }) {
  if (!id.startsWith("agt_")) return <Id value={id} label="platform" />;
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <Asker id={id} />
      <Id value={id} label="agent ID" />
    </span>
  );
}

/** One review: amount, items, who asks, the time left and earlier requests. */
export function ReviewCard({
  review,
  mayDecide,
  linked = true,
  onDecided,
}: {
  readonly review: Review;
  readonly mayDecide: boolean;
  /** Whether the card links to the page of the review. */
  readonly linked?: boolean;
  onDecided(status: Review["status"]): void;
}) {
  const { name, site } = useSite();
  const planned = review.verdict?.problem === null ? review.verdict : null;
  const approvals = `${review.approved_by.length} of ${review.approvals_needed}`;
  return (
    <article className="flex flex-col gap-3 rounded-xl border border-line bg-card p-4">
      <header className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h2 className="text-lg font-semibold">
          {moneyText(review.amount) || skillTitle(review.skill)}
        </h2>
        {review.amount !== null && (
          <span className="text-sm text-soft">{skillTitle(review.skill)}</span>
        )}
        <Badge word={reviewState(review)} />
        {review.status === "pending" && <TimeLeft review={review} />}
      </header>
      {review.items.length > 0 && (
        <ul className="text-sm">
          {review.items.map(({ id, title, quantity }) => (
            <li key={id}>
              {quantity} × {title} <span className="text-soft">({id})</span>
            </li>
          ))}
        </ul>
      )}
      <Facts
        rows={[
          ["Requested by", <Who key="who" id={review.agent_id} />],
          ["Rule", review.rule_id],
          ["Approvals", review.approvals_needed > 1 ? approvals : null],
          ["Review ID", <Id key="id" value={review.escalation_id} label="review ID" />],
        ]}
      />
      <details className="text-sm">
        <summary className="text-soft">Earlier requests</summary>
        <div className="mt-2">
          <AgentHistory agentId={review.agent_id} but={review.mandate_id} />
        </div>
      </details>
      {review.verdict !== null && review.verdict.problem !== null && (
        <Notice bad>The approval did not take effect. {review.verdict.problem}</Notice>
      )}
      {planned !== null && (
        <PlannedVerdict siteKeyHash={site.site_key_hash} review={review} verdict={planned} />
      )}
      {mayDecide && review.status === "pending" && planned === null && (
        <DecideForm siteKeyHash={site.site_key_hash} review={review} onDecided={onDecided} />
      )}
      {linked && (
        <Link
          to="/$site/reviews/$id"
          params={{ site: name, id: review.escalation_id }}
          className="link self-start text-sm"
        >
          Show details
        </Link>
      )}
    </article>
  );
}
