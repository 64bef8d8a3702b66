import { Link } from "@tanstack/react-router";
import { Asker } from "../agents/names.js";
import { useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Id } from "../ui/id.js";
import { Facts } from "../ui/page.js";
import { Time } from "../ui/time.js";
import { moneyText, spanText } from "../ui/words.js";
import { AgentHistory } from "./agent-history.js";
import { DecideForm } from "./decide-form.js";
import type { Review } from "./reviews.js";

/** With less time left than this somebody should hurry. */
const HURRY_MS = 3_600_000;

function TimeLeft({ review }: { readonly review: Review }) {
  const left = Date.parse(review.expires_at) - Date.now();
  const age = Date.now() - Date.parse(review.created_at);
  return (
    <span className={`text-sm ${left < HURRY_MS ? "font-medium text-warn" : "text-soft"}`}>
      asked {spanText(age)} ago, {spanText(left)} left (until <Time at={review.expires_at} />)
    </span>
  );
}

/** Who asks: an agent with a page of its own, or a platform by its address. */
export function Who({ id }: { readonly id: string }) {
  if (!id.startsWith("agt_")) return <Id value={id} label="platform" />;
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      <Asker id={id} />
      <Id value={id} label="agent id" />
    </span>
  );
}

/** One thing that waits for a person: what, how much, who, for how long, and what they did before. */
export function ReviewCard({
  review,
  mayDecide,
  onDecided,
}: {
  readonly review: Review;
  readonly mayDecide: boolean;
  onDecided(status: Review["status"]): void;
}) {
  const { name, site } = useSite();
  const approvals = `${review.approved_by.length} of ${review.approvals_needed}`;
  return (
    <article className="flex flex-col gap-3 rounded-xl border border-line bg-card p-4">
      <header className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <h2 className="text-lg font-semibold">{moneyText(review.amount) || review.skill}</h2>
        {review.amount !== null && <span className="text-sm text-soft">{review.skill}</span>}
        {review.status !== "pending" && <Badge word={review.status} />}
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
          ["Who", <Who key="who" id={review.agent_id} />],
          ["Rule", review.rule_id],
          ["Approvals", review.approvals_needed > 1 ? approvals : null],
          ["Review", <Id key="id" value={review.escalation_id} label="review id" />],
        ]}
      />
      <details className="text-sm">
        <summary className="text-soft">What it did before</summary>
        <div className="mt-2">
          <AgentHistory agentId={review.agent_id} but={review.mandate_id} />
        </div>
      </details>
      {mayDecide && review.status === "pending" && (
        <DecideForm siteKeyHash={site.site_key_hash} review={review} onDecided={onDecided} />
      )}
      <Link
        to="/$site/reviews/$id"
        params={{ site: name, id: review.escalation_id }}
        className="link self-start text-sm"
      >
        Everything about it
      </Link>
    </article>
  );
}
