import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { Asker } from "../agents/names.js";
import { useList } from "../api/list.js";
import { Who } from "../layout/people.js";
import { useMay, useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { ExportButton } from "../ui/export-button.js";
import { Select } from "../ui/field.js";
import { type Column, ListView } from "../ui/list-view.js";
import { LoadingReview } from "../ui/loading.js";
import { NothingFound } from "../ui/nothing-found.js";
import { Failure, Notice } from "../ui/notice.js";
import { Empty, Page } from "../ui/page.js";
import { skillTitle } from "../ui/skill-title.js";
import { ShortTime } from "../ui/time.js";
import { choicesOf, moneyText } from "../ui/words.js";
import { KeyHelp, moveFocus, useReviewKeys } from "./keys.js";
import { ReviewCard } from "./review-card.js";
import {
  deciderOf,
  REVIEW_STATES,
  type Review,
  reviewState,
  reviewsWaiting,
  stateText,
} from "./reviews.js";

const STATES = {
  ...choicesOf(...(Object.keys(REVIEW_STATES) as Review["status"][])),
  pending: "Needs review",
};

/** The columns of an exported file. Buyers and their addresses are not among them. */
const COLUMNS = [
  "escalation_id",
  "status",
  "agent_id",
  "mandate_id",
  "skill",
  "protocol",
  "amount",
  "currency",
  "items",
  "rule_id",
  "policy_version",
  "approvals_needed",
  "approved_by",
  "created_at",
  "expires_at",
  "decided_at",
  "decided_by",
  "reason_code",
  "note",
  "record_id",
  "order_number",
];

/** A review that was just decided. */
export type JustDecided = Pick<Review, "escalation_id" | "status" | "amount" | "skill">;

/** The result of a review, with a link to it. */
export function Decided({
  review,
  linked = true,
}: {
  readonly review: JustDecided;
  readonly linked?: boolean;
}) {
  const { name } = useSite();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus(), []);
  const more = "You approved it. It still needs an approval by somebody else.";
  return (
    <div ref={place} tabIndex={-1} className="outline-none">
      <Notice bad={review.status === "payment_failed"}>
        {moneyText(review.amount) || skillTitle(review.skill)}:{" "}
        {review.status === "pending" ? more : stateText(review)}{" "}
        {linked && (
          <Link
            to="/$site/reviews/$id"
            params={{ site: name, id: review.escalation_id }}
            className="link"
          >
            Show it
          </Link>
        )}
      </Notice>
    </div>
  );
}

function PendingReviews() {
  const { site, name } = useSite();
  const waiting = useQuery(reviewsWaiting(site.site_key_hash));
  const mayDecide = useMay("reviewer");
  const [decided, setDecided] = useState<JustDecided | null>(null);
  useReviewKeys({ move: moveFocus });
  return (
    <>
      {mayDecide && waiting.data !== undefined && waiting.data.items.length > 0 && <KeyHelp />}
      {decided !== null && <Decided key={decided.escalation_id} review={decided} />}
      {waiting.isError && <Failure error={waiting.error} />}
      {waiting.isPending && <LoadingReview />}
      {waiting.data?.items.length === 0 && (
        <Empty
          title="Nothing to review"
          example="€600.00 · A palm · your rules ask for a review above €500.00"
          action={
            <Link to="/$site/policy" params={{ site: name }} className="button-act">
              Open your rules
            </Link>
          }
        >
          <p>
            Requests that need your approval appear here. Your rules decide which ones: a rule can
            ask for review.
          </p>
        </Empty>
      )}
      {waiting.data?.items.map((review, place) => (
        <ReviewCard
          key={review.escalation_id}
          review={review}
          isFirst={place === 0}
          mayDecide={mayDecide}
          onDecided={(status) => setDecided({ ...review, status })}
        />
      ))}
    </>
  );
}

function Past({ status }: { readonly status: string }) {
  const { name, path } = useSite();
  const filter = { status: status === "all" ? undefined : status };
  const list = useList<Review>("reviews", `${path}/escalations`, filter);
  const columns: readonly Column<Review>[] = [
    {
      head: "Review",
      sortBy: ({ amount }) => amount?.minor ?? 0,
      cell: ({ escalation_id, skill, amount }) => (
        <Link to="/$site/reviews/$id" params={{ site: name, id: escalation_id }} className="link">
          {moneyText(amount) || skillTitle(skill)}
        </Link>
      ),
    },
    {
      head: "State",
      narrow: "side",
      sortBy: reviewState,
      cell: (review) => <Badge word={reviewState(review)} />,
    },
    { head: "Requested by", narrow: "state", cell: ({ agent_id }) => <Asker id={agent_id} /> },
    {
      head: "Requested",
      narrow: "time",
      sortBy: ({ created_at }) => created_at,
      cell: ({ created_at }) => <ShortTime at={created_at} />,
    },
    {
      head: "Decided by",
      narrow: "hidden",
      cell: (review) => {
        const decider = deciderOf(review);
        return decider === null ? "–" : <Who id={decider} />;
      },
    },
  ];
  return (
    <ListView
      list={list}
      columns={columns}
      label="Reviews"
      keyOf={({ escalation_id }) => escalation_id}
      empty={
        status === "all" ? (
          <Empty
            title="No reviews yet"
            example="€600.00 · A palm · approved by Ada"
            action={
              <Link to="/$site/policy" params={{ site: name }} className="button-act">
                Open your rules
              </Link>
            }
          >
            <p>Requests that needed your review are listed here, each with its decision.</p>
          </Empty>
        ) : (
          <NothingFound title="No reviews found" />
        )
      }
    />
  );
}

/** Requests that need review. */
export function ReviewsPage() {
  const { path } = useSite();
  const { status = "pending" } = useSearch({ from: "/shell/$site/reviews" });
  const navigate = useNavigate({ from: "/$site/reviews" });
  const choose = (chosen: string) =>
    void navigate({ search: { status: chosen === "pending" ? undefined : chosen } });
  const filter = { status: status === "all" ? undefined : status };
  return (
    <Page
      title="Reviews"
      purpose="Requests that need your approval. Nothing is charged before you approve."
      actions={
        <ExportButton
          path={`${path}/escalations`}
          filter={filter}
          columns={COLUMNS}
          name="reviews"
        />
      }
    >
      <div className="max-w-64">
        <Select
          label="State"
          value={status}
          choices={{ ...STATES, all: "All" }}
          onChoose={choose}
        />
      </div>
      {status === "pending" ? <PendingReviews /> : <Past status={status} />}
    </Page>
  );
}
