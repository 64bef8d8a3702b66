import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { Button } from "../ui/button.js";
import { Failure } from "../ui/notice.js";
import { DENIALS, type Denial, decide, type Review, type Verdict } from "./reviews.js";

interface Props {
  readonly siteKeyHash: string;
  readonly review: Review;
  /** Told what became of it. */
  onDecided(status: Review["status"]): void;
}

/** Approve, or deny with a reason. Neither can be undone, so both are asked for once more. */
export function DecideForm({ siteKeyHash, review, onDecided }: Props) {
  const client = useQueryClient();
  const [asked, setAsked] = useState<"approve" | "deny" | null>(null);
  const [reason, setReason] = useState<Denial>("other");
  const [note, setNote] = useState("");
  const noteId = useId();
  const deciding = useMutation({
    mutationFn: (verdict: Verdict) => decide(siteKeyHash, review.escalation_id, verdict),
    onSuccess: async ({ status }) => {
      onDecided(status);
      await client.invalidateQueries({ queryKey: ["reviews", siteKeyHash] });
    },
  });

  function confirm() {
    const said = note.trim() === "" ? {} : { note: note.trim() };
    if (asked === "approve") deciding.mutate({ verdict: "approve", ...said });
    if (asked === "deny") deciding.mutate({ verdict: "deny", reason_code: reason, ...said });
  }

  if (asked === null) {
    return (
      <div className="flex gap-2">
        <Button kind="act" onClick={() => setAsked("approve")}>
          Approve
        </Button>
        <Button kind="danger" onClick={() => setAsked("deny")}>
          Deny
        </Button>
      </div>
    );
  }
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line p-3">
      <p className="text-sm font-medium">
        {asked === "approve" ? "Approve this? It is paid at once." : "Deny this?"} That cannot be
        undone.
      </p>
      {asked === "deny" && (
        <label className="flex flex-col gap-1 text-sm">
          Why
          <select
            value={reason}
            onChange={({ target }) => setReason(target.value as Denial)}
            className="rounded-lg border border-line bg-card px-2 py-1.5"
          >
            {Object.entries(DENIALS).map(([code, words]) => (
              <option key={code} value={code}>
                {words}
              </option>
            ))}
          </select>
        </label>
      )}
      <label htmlFor={noteId} className="flex flex-col gap-1 text-sm">
        A note for your own people (no agent sees it)
        <input
          id={noteId}
          value={note}
          maxLength={1000}
          onChange={({ target }) => setNote(target.value)}
          className="rounded-lg border border-line bg-card px-3 py-1.5"
        />
      </label>
      <div className="flex gap-2">
        <Button
          kind={asked === "approve" ? "act" : "danger"}
          disabled={deciding.isPending}
          onClick={confirm}
        >
          {asked === "approve" ? "Yes, approve" : "Yes, deny"}
        </Button>
        <Button onClick={() => setAsked(null)}>Not now</Button>
      </div>
      {deciding.isError && <Failure error={deciding.error} />}
    </div>
  );
}
