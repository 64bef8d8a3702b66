import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { usePeople, Who } from "../layout/people.js";
import { useMay, useSite } from "../layout/sites.js";
import { LoadingReview } from "../ui/loading.js";
import { Failure } from "../ui/notice.js";
import { Card, Facts, Page } from "../ui/page.js";
import { Time } from "../ui/time.js";
import { titleOf } from "../ui/words.js";
import { KeyHelp, useReviewKeys } from "./keys.js";
import { ReviewCard } from "./review-card.js";
import {
  DENIALS,
  deciderOf,
  type Review,
  reviewQuery,
  reviewsWaiting,
  stateText,
} from "./reviews.js";
import { Decided } from "./reviews-page.js";

/** Opens the next or the previous review that waits for a decision. */
function useNeighbours(id: string): (by: 1 | -1) => void {
  const { site, name } = useSite();
  const { data } = useQuery(reviewsWaiting(site.site_key_hash));
  const navigate = useNavigate();
  return (by) => {
    const ids = (data?.items ?? []).map(({ escalation_id }) => escalation_id);
    const place = ids.indexOf(id);
    // A review that was decided has left the list.
    const next = place === -1 ? ids[0] : ids[place + by];
    if (next === undefined) return;
    void navigate({ to: "/$site/reviews/$id", params: { site: name, id: next } });
  };
}

/** One review: the request, the decision and the record. */
export function ReviewPage() {
  const { site, name } = useSite();
  const { id } = useParams({ from: "/shell/$site/reviews/$id" });
  const review = useQuery(reviewQuery(site.site_key_hash, id));
  const mayDecide = useMay("reviewer");
  const people = usePeople();
  useReviewKeys({ move: useNeighbours(id), isSingle: true });
  const [decided, setDecided] = useState<Review["status"] | null>(null);
  if (review.isError) return <Failure error={review.error} />;
  if (!review.isSuccess) {
    return (
      <Page title="Review">
        <LoadingReview />
      </Page>
    );
  }
  const shown = review.data;
  const reason = shown.reason_code;
  const decider = deciderOf(shown);
  const why = reason === null ? null : (DENIALS as Record<string, string>)[reason];
  return (
    <Page title="Review" purpose={shown.status === "pending" ? undefined : stateText(shown)}>
      {decided !== null && <Decided review={{ ...shown, status: decided }} linked={false} />}
      <ReviewCard review={shown} mayDecide={mayDecide} linked={false} onDecided={setDecided} />
      {mayDecide && shown.status === "pending" && <KeyHelp />}
      <Card title="Decision">
        <Facts
          rows={[
            ["Requested", <Time key="asked" at={shown.created_at} />],
            ["Decided", shown.decided_at && <Time key="decided" at={shown.decided_at} />],
            ["Decided by", decider && <Who key="by" id={decider} />],
            [
              "Approved by",
              // One approval is the decision.
              shown.approved_by.length > 1 &&
                shown.approved_by.map((one) => people.get(one) ?? one).join(", "),
            ],
            ["Reason", why ?? (reason === null ? null : titleOf(reason))],
            ["Note", shown.note],
          ]}
        />
        <p className="flex flex-wrap gap-4 text-sm">
          {shown.order_id !== null && (
            <Link
              className="link"
              to="/$site/orders/$id"
              params={{ site: name, id: shown.order_id }}
            >
              Show order #{shown.order_number}
            </Link>
          )}
          <Link
            className="link"
            to="/$site/decisions"
            params={{ site: name }}
            search={{ mandate_id: shown.mandate_id }}
          >
            Show the decision
          </Link>
          <Link className="link" to="/$site/audit/$id" params={{ site: name, id: shown.record_id }}>
            Show the record in the audit log
          </Link>
        </p>
      </Card>
    </Page>
  );
}
