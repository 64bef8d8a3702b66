import { useState } from "react";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { useDraft } from "../ui/draft.js";
import { TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { canMarkSent, orderPath, type ShownOrder } from "./orders.js";

const WORDS_CHARS_MAX = 200;
const NOTE_CHARS_MAX = 2000;

/** The fields that are filled in. */
function given(fields: Readonly<Record<string, string>>): Record<string, string> {
  const filled = Object.entries(fields).filter(([, value]) => value.trim() !== "");
  return Object.fromEntries(filled.map(([name, value]) => [name, value.trim()]));
}

/** Marks what is left of an order as sent, or cancels it. */
export function ShipAndCancel({ order }: { readonly order: ShownOrder }) {
  // A payment that can be captured has the main button.
  const isMain = order.payment_facts?.capture == null;
  const { path } = useSite();
  const [sent, setSent] = useState({ carrier: "", tracking_number: "", tracking_url: "" });
  const [reason, setReason] = useState("");
  const isLeft = order.lines.some(({ total, fulfilled }) => fulfilled < total);
  const act = useSave(
    ([step, body]: readonly [step: string, body: unknown]) =>
      call("POST", `${orderPath(path, order.order_id)}/${step}`, body),
    "orders",
  );
  const field = (name: keyof typeof sent, label: string) => (
    <TextField
      label={label}
      value={sent[name]}
      {...(name === "tracking_url" ? { type: "url", placeholder: "https://" } : {})}
      maxLength={name === "tracking_url" ? 2000 : WORDS_CHARS_MAX}
      onChange={({ target }) => setSent({ ...sent, [name]: target.value })}
    />
  );
  if (!isLeft) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {canMarkSent(order) && (
        <Confirm
          label="Mark as sent"
          kind={isMain ? "act" : undefined}
          title="Mark this order as sent?"
          yes="Mark as sent"
          onYes={() => act.mutateAsync(["ship", given(sent)])}
        >
          <p>
            All remaining items are marked as sent. The platform is notified, and the buyer if email
            is set up.
          </p>
          {field("carrier", "Carrier (optional)")}
          {field("tracking_number", "Tracking number (optional)")}
          {field("tracking_url", "Tracking link (optional)")}
        </Confirm>
      )}
      <Confirm
        label="Cancel items"
        title="Cancel the items that were not sent?"
        yes="Cancel items"
        danger
        onYes={() => act.mutateAsync(["cancel", given({ reason })])}
      >
        <p>
          The items go back in stock and the buyer is notified. If no items remain, an authorized
          payment is voided: the reserved money is released to the buyer. A captured payment is not
          refunded. You cannot undo this.
        </p>
        <TextField
          label="Reason (optional, visible to the buyer)"
          value={reason}
          maxLength={WORDS_CHARS_MAX}
          onChange={({ target }) => setReason(target.value)}
        />
      </Confirm>
    </div>
  );
}

/** Adds a note to the history of an order. */
export function AddNote({ order }: { readonly order: ShownOrder }) {
  const { path } = useSite();
  const draft = useDraft({ note: "" });
  const { note } = draft.value;
  const noting = useSave(
    () => call("POST", `${orderPath(path, order.order_id)}/notes`, { text: note.trim() }),
    "orders",
  );
  function addNote() {
    noting.mutate(undefined, { onSuccess: draft.discard });
  }
  return (
    <Form
      of={noting}
      done="Note added."
      onSubmit={addNote}
      className="flex flex-wrap items-start gap-2"
    >
      <div className="min-w-0 flex-1">
        <TextField
          label="Note (only visible to your team)"
          name="text"
          value={note}
          required
          maxLength={NOTE_CHARS_MAX}
          onChange={({ target }) => draft.set({ note: target.value })}
        />
      </div>
      <Button type="submit" className="mt-6">
        Add note
      </Button>
    </Form>
  );
}
