import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { Asker } from "../agents/names.js";
import { useList } from "../api/list.js";
import { Who } from "../layout/people.js";
import { useMay, useSite } from "../layout/sites.js";
import { Badge } from "../ui/badge.js";
import { Select } from "../ui/field.js";
import { type Column, ExportButton, ListView } from "../ui/list-view.js";
import { Failure, Notice } from "../ui/notice.js";
import { Empty, Page } from "../ui/page.js";
import { Time } from "../ui/time.js";
import { choicesOf, moneyText } from "../ui/words.js";
import { ReviewCard } from "./review-card.js";
import { REVIEW_STATES, type Review, reviewsWaiting, stateText } from "./reviews.js";

const STATES = choicesOf(...(Object.keys(REVIEW_STATES) as Review["status"][]));

/** A review that somebody has just decided. */
export type JustDecided = Pick<Review, "escalation_id" | "status" | "amount" | "skill">;

/** What became of it, and the way to it. */
export function Decided({ review }: { readonly review: JustDecided }) {
  const { name } = useSite();
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => place.current?.focus(), []);
  const more = "Approved by you. It waits for one more person.";
  return (
    <div ref={place} tabIndex={-1} className="outline-none">
      <Notice bad={review.status === "payment_failed"}>
        {moneyText(review.amount) || review.skill}:{" "}
        {review.status === "pending" ? more : stateText(review)}{" "}
        <Link
          to="/$site/reviews/$id"
          params={{ site: name, id: review.escalation_id }}
          className="link"
        >
          Look at it
        </Link>
      </Notice>
    </div>
  );
}

function Waiting() {
  const { site } = useSite();
  const waiting = useQuery(reviewsWaiting(site.site_key_hash));
  const mayDecide = useMay("reviewer");
  const [decided, setDecided] = useState<JustDecided | null>(null);
  return (
    <>
      {decided !== null && <Decided key={decided.escalation_id} review={decided} />}
      {waiting.isError && <Failure error={waiting.error} />}
      {waiting.data?.items.length === 0 && (
        <Empty title="Nothing waits for you.">
          <p>
            What your rules leave to a person appears here by itself, the moment an agent asks. A
            rule with the effect “escalate” does that.
          </p>
        </Empty>
      )}
      {waiting.data?.items.map((review) => (
        <ReviewCard
          key={review.escalation_id}
          review={review}
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
      cell: ({ escalation_id, skill, amount }) => (
        <Link to="/$site/reviews/$id" params={{ site: name, id: escalation_id }} className="link">
          {moneyText(amount) || skill}
        </Link>
      ),
    },
    { head: "State", cell: ({ status: word }) => <Badge word={word} /> },
    { head: "Agent", cell: ({ agent_id }) => <Asker id={agent_id} /> },
    { head: "Asked", cell: ({ created_at }) => <Time at={created_at} /> },
    {
      head: "Decided by",
      cell: ({ decided_by }) => (decided_by === null ? "–" : <Who id={decided_by} />),
    },
  ];
  return (
    <ListView
      {...{ list, columns, label: "Reviews" }}
      keyOf={({ escalation_id }) => escalation_id}
      empty={<Empty title="No such review">Choose another state.</Empty>}
    />
  );
}

/** What the rules leave to a person. */
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
      about="What your rules leave to a person. Nothing is paid before somebody approves it."
      actions={<ExportButton path={`${path}/escalations`} filter={filter} name="reviews" />}
    >
      <div className="max-w-64">
        <Select
          label="State"
          value={status}
          choices={{ ...STATES, all: "All of them" }}
          onChoose={choose}
        />
      </div>
      {status === "pending" ? <Waiting /> : <Past status={status} />}
    </Page>
  );
}
