import { useEffect, useRef, useState } from "react";
import { useSave } from "../api/save.js";
import { Button } from "../ui/button.js";
import { Select, TextField } from "../ui/field.js";
import { Failure } from "../ui/notice.js";
import { DENIALS, type Denial, decide, type Review, type Verdict } from "./reviews.js";

const NOTE_CHARS_MAX = 1000;

interface Props {
  readonly siteKeyHash: string;
  readonly review: Review;
  /** Told what became of it. */
  onDecided(status: Review["status"]): void;
}

/** Approve, or deny with a reason. Neither can be undone, so both are asked for once more. */
export function DecideForm({ siteKeyHash, review, onDecided }: Props) {
  const [asked, setAsked] = useState<"approve" | "deny" | null>(null);
  const [reason, setReason] = useState<Denial>("other");
  const [note, setNote] = useState("");
  const deciding = useSave(
    async (verdict: Verdict) => {
      const { status } = await decide(siteKeyHash, review.escalation_id, verdict);
      // Said before anything is asked anew: with that this form may be gone.
      onDecided(status);
    },
    "reviews",
    "decisions",
    "orders",
  );
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Whoever works by keys goes on here, and not at the top of the page.
    if (asked !== null) box.current?.focus();
  }, [asked]);

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
    // biome-ignore lint/a11y/noStaticElementInteractions: keys are for what stands in it.
    <div
      ref={box}
      tabIndex={-1}
      onKeyDown={({ key }) => key === "Escape" && setAsked(null)}
      className="flex flex-col gap-3 rounded-lg border border-line p-3 outline-none"
    >
      <p className="text-sm font-medium">
        {asked === "approve" ? "Approve this?" : "Deny this?"}
        {asked === "approve" && review.amount !== null && " Its payment is authorized at once."}{" "}
        That cannot be undone.
      </p>
      {asked === "deny" && (
        <Select
          label="Why"
          hint="The agent is told this."
          value={reason}
          choices={DENIALS}
          onChoose={(code) => setReason(code as Denial)}
        />
      )}
      <TextField
        label="A note for your own people (no agent sees it)"
        value={note}
        maxLength={NOTE_CHARS_MAX}
        onChange={({ target }) => setNote(target.value)}
      />
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
