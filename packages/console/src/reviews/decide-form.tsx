import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useSave } from "../api/save.js";
import { sessionQuery } from "../session/session.js";
import { Button } from "../ui/button.js";
import { Select, TextField } from "../ui/field.js";
import { Failure } from "../ui/notice.js";
import { ActionBar } from "./action-bar.js";
import { DENIALS, type Denial, decide, type Review, type ReviewVerdict } from "./reviews.js";

const NOTE_CHARS_MAX = 1000;
/** Large enough for a thumb on a phone. */
const THUMB = "max-sm:flex-1 max-sm:py-3";

interface Props {
  readonly siteKeyHash: string;
  readonly review: Review;
  /** Whether it has the primary button of the page. */
  readonly isFirst: boolean;
  /** Gets the new state. */
  onDecided(status: Review["status"]): void;
}

/**
 * Approve, or decline with a reason. Approving takes one click if it can be undone, otherwise it asks for
 * confirmation.
 */
export function DecideForm({ siteKeyHash, review, isFirst, onDecided }: Props) {
  const main = isFirst ? "act" : "plain";
  const [chosen, setChosen] = useState<"approve" | "deny" | null>(null);
  const [reason, setReason] = useState<Denial>("other");
  const [note, setNote] = useState("");
  const { data: session } = useQuery(sessionQuery);
  const canUndo = session?.kind === "person";
  const deciding = useSave(
    async (verdict: ReviewVerdict) => {
      const answer = await decide(siteKeyHash, review.escalation_id, verdict);
      // Report it before the lists reload, because this form may disappear with them. While it can be
      // undone, the review says so itself.
      if (answer.decides_at === undefined) onDecided(answer.status);
      setChosen(null);
    },
    "reviews",
    "decisions",
    "orders",
  );
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Keyboard users continue here instead of at the top of the page.
    if (chosen !== null) box.current?.focus();
  }, [chosen]);

  const approve = () => (canUndo ? deciding.mutate({ verdict: "approve" }) : setChosen("approve"));

  function confirm() {
    const noteMember = note.trim() === "" ? {} : { note: note.trim() };
    if (chosen === "approve") deciding.mutate({ verdict: "approve", ...noteMember });
    if (chosen === "deny") deciding.mutate({ verdict: "deny", reason_code: reason, ...noteMember });
  }

  if (chosen === null) {
    return (
      <ActionBar>
        <div className="flex gap-2">
          <Button
            kind={main}
            aria-keyshortcuts="a"
            className={THUMB}
            disabled={deciding.isPending}
            onClick={approve}
          >
            Approve
          </Button>
          <Button
            kind="danger"
            aria-keyshortcuts="d"
            className={THUMB}
            disabled={deciding.isPending}
            onClick={() => setChosen("deny")}
          >
            Decline
          </Button>
        </div>
        {deciding.isError && <Failure error={deciding.error} />}
      </ActionBar>
    );
  }
  return (
    <ActionBar wide>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the controls inside. */}
      <div
        ref={box}
        tabIndex={-1}
        onKeyDown={({ key }) => key === "Escape" && setChosen(null)}
        className="flex flex-col gap-3 rounded-lg outline-none sm:border sm:border-line sm:p-3"
      >
        <p className="text-sm font-medium">
          {chosen === "approve" ? "Approve this request?" : "Decline this request?"}
          {chosen === "approve" && review.amount !== null && " Its payment is then authorized."}{" "}
          {canUndo ? "You can undo this for 10 seconds." : "You cannot undo this."}
        </p>
        {chosen === "deny" && (
          <Select
            label="Reason"
            hint="The agent receives this reason."
            value={reason}
            choices={DENIALS}
            onChoose={(code) => setReason(code as Denial)}
          />
        )}
        <TextField
          label="Note (optional, only visible to your team)"
          value={note}
          maxLength={NOTE_CHARS_MAX}
          onChange={({ target }) => setNote(target.value)}
        />
        <div className="flex gap-2">
          <Button
            kind={chosen === "approve" ? main : "danger"}
            className={THUMB}
            disabled={deciding.isPending}
            onClick={confirm}
          >
            {chosen === "approve" ? "Yes, approve" : "Yes, decline"}
          </Button>
          <Button className={THUMB} onClick={() => setChosen(null)}>
            Cancel
          </Button>
        </div>
        {deciding.isError && <Failure error={deciding.error} />}
      </div>
    </ActionBar>
  );
}
