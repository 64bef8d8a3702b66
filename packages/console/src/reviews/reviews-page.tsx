import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useChanges } from "../api/changes.js";
import { sitesQuery } from "../layout/sites.js";
import { sessionQuery } from "../session/session.js";
import { Failure, Notice } from "../ui/notice.js";
import { moneyText, spanText, timeText } from "../ui/words.js";
import { DecideForm } from "./decide-form.js";
import { pendingQuery, type Review } from "./reviews.js";

/** One thing that waits for a person: what, how much, who, for how long. */
function ReviewCard({
  siteKeyHash,
  review,
  mayDecide,
  onDecided,
}: {
  readonly siteKeyHash: string;
  readonly review: Review;
  readonly mayDecide: boolean;
  onDecided(status: Review["status"]): void;
}) {
  const left = Date.parse(review.expires_at) - Date.now();
  return (
    <article className="flex flex-col gap-3 rounded-xl border border-line bg-card p-4">
      <header className="flex flex-wrap items-baseline gap-x-3">
        <h2 className="font-medium">{review.skill}</h2>
        <span className="text-lg font-semibold">{moneyText(review.amount)}</span>
        <span className={`ml-auto text-sm ${left < 3_600_000 ? "text-warn" : "text-soft"}`}>
          {spanText(left)} left, until {timeText(review.expires_at)}
        </span>
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
      <dl className="grid grid-cols-[auto_1fr] gap-x-3 text-sm">
        <dt className="text-soft">Who</dt>
        <dd className="break-all">{review.agent_id}</dd>
        <dt className="text-soft">Rule</dt>
        <dd>{review.rule_id}</dd>
        <dt className="text-soft">Review</dt>
        <dd className="break-all font-mono text-xs">{review.escalation_id}</dd>
      </dl>
      {mayDecide && <DecideForm {...{ siteKeyHash, review, onDecided }} />}
    </article>
  );
}

const ENDED: Partial<Record<Review["status"], string>> = {
  approved: "Approved, and paid.",
  paying: "Approved: it is being paid.",
  payment_failed: "Approved, but the payment did not go through. Nothing was sold.",
  denied: "Denied.",
  invalidated: "Nothing was paid: something had changed since it was asked for.",
};

/** What the rules leave to a person. */
export function ReviewsPage() {
  const { site: domain } = useParams({ from: "/shell/$site/reviews" });
  const { data: sites } = useQuery(sitesQuery);
  const siteKeyHash = sites?.find((site) => site.domain === domain)?.site_key_hash;
  const pending = useQuery({
    ...pendingQuery(siteKeyHash ?? ""),
    enabled: siteKeyHash !== undefined,
  });
  useChanges(siteKeyHash);
  const { data: session } = useQuery(sessionQuery);
  const [decided, setDecided] = useState<Review["status"] | null>(null);
  if (sites !== undefined && siteKeyHash === undefined) {
    return <Notice bad>There is no site {domain}, or it is not yours to see.</Notice>;
  }
  return (
    <section className="flex flex-col gap-4">
      <h1 className="text-xl font-semibold">Reviews</h1>
      {decided !== null && <Notice>{ENDED[decided] ?? decided}</Notice>}
      {pending.isError && <Failure error={pending.error} />}
      {pending.data?.items.length === 0 && (
        <Notice>
          Nothing waits for you. What your rules leave to a person appears here by itself.
        </Notice>
      )}
      {pending.data?.items.map((review) => (
        <ReviewCard
          key={review.escalation_id}
          siteKeyHash={siteKeyHash ?? ""}
          review={review}
          mayDecide={session?.role !== "auditor"}
          onDecided={setDecided}
        />
      ))}
    </section>
  );
}
