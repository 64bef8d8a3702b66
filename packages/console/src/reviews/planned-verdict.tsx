import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useSave } from "../api/save.js";
import { Button } from "../ui/button.js";
import { Failure, Notice } from "../ui/notice.js";
import { useSecondsLeft } from "../ui/seconds-left.js";
import { ActionBar } from "./action-bar.js";
import { type Review, undo } from "./reviews.js";

/** A decision that takes effect in some seconds. Until then nothing is recorded or paid. */
export function PlannedVerdict({
  siteKeyHash,
  review,
  verdict,
}: {
  readonly siteKeyHash: string;
  readonly review: Review;
  readonly verdict: NonNullable<Review["verdict"]>;
}) {
  const client = useQueryClient();
  const left = useSecondsLeft(verdict.decides_at);
  const undoing = useSave(() => undo(siteKeyHash, review.escalation_id), "reviews");
  useEffect(() => {
    if (left > 0) return;
    const topics = ["reviews", "decisions", "orders"];
    for (const topic of topics) void client.invalidateQueries({ queryKey: [topic] });
  }, [left, client]);
  const what = verdict.verdict === "approve" ? "Approved" : "Declined";
  return (
    <ActionBar>
      <div className="flex flex-wrap items-center gap-3" role="status">
        <Notice>
          {left > 0 ? `${what}. Your decision takes effect in ${left} s.` : `${what}.`}
        </Notice>
        {left > 0 && (
          <Button
            className="max-sm:flex-1 max-sm:py-3"
            disabled={undoing.isPending}
            onClick={() => undoing.mutate()}
          >
            Undo
          </Button>
        )}
        {undoing.isError && <Failure error={undoing.error} />}
      </div>
    </ActionBar>
  );
}
