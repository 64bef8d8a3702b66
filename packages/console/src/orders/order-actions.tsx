import { useState } from "react";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { useDraft } from "../ui/draft.js";
import { TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { orderPath, type ShownOrder } from "./orders.js";
import { useQuantities } from "./quantities.js";
import { given, PlannedShipment, Ship, WORDS_CHARS_MAX } from "./ship.js";

const NOTE_CHARS_MAX = 2000;

/** Cancels items that were not sent. */
function CancelItems({ order }: { readonly order: ShownOrder }) {
  const { path } = useSite();
  const [reason, setReason] = useState("");
  const quantities = useQuantities(order, ({ total, fulfilled }) => total - fulfilled);
  const cancel = useSave(
    (body: object) => call("POST", `${orderPath(path, order.order_id)}/cancel`, body),
    "orders",
  );
  if (!quantities.isLeft) return null;
  return (
    <Confirm
      label="Cancel items"
      title="Which items do you want to cancel?"
      yes="Cancel items"
      no="Keep items"
      danger
      onYes={async () => cancel.mutateAsync({ ...quantities.body(), ...given({ reason }) })}
    >
      <p>
        The items go back in stock and the buyer is notified. If no items remain, an authorized
        payment is voided: the reserved money is released to the buyer. A captured payment is not
        refunded. You cannot undo this.
      </p>
      {quantities.fields}
      <TextField
        label="Reason (optional, visible to the buyer)"
        value={reason}
        maxLength={WORDS_CHARS_MAX}
        onChange={({ target }) => setReason(target.value)}
      />
    </Confirm>
  );
}

/** Marks items of an order as sent or delivered, or cancels them. */
export function ShipAndCancel({ order }: { readonly order: ShownOrder }) {
  const plan = order.planned_shipment;
  return (
    <div className="flex flex-wrap gap-2">
      {plan !== null && <PlannedShipment order={order} plan={plan} />}
      {/* What was just reported must take effect before more is reported. */}
      {(plan === null || plan.problem !== null) && (
        <>
          {/* Each state of the order begins with all items chosen. */}
          <Ship key={`ship ${order.revision}`} order={order} />
          <CancelItems key={`cancel ${order.revision}`} order={order} />
        </>
      )}
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
