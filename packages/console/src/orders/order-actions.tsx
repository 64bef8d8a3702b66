import { useState } from "react";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Failure } from "../ui/notice.js";
import { Card } from "../ui/page.js";
import { orderPath, type ShownOrder } from "./orders.js";

const WORDS_CHARS_MAX = 200;
const NOTE_CHARS_MAX = 2000;

/** Leaves out what nobody filled in. */
function given(fields: Readonly<Record<string, string>>): Record<string, string> {
  const filled = Object.entries(fields).filter(([, value]) => value.trim() !== "");
  return Object.fromEntries(filled.map(([name, value]) => [name, value.trim()]));
}

/** What an owner does with an order: send it, cancel what is left, write something down. */
export function OrderActions({ order }: { readonly order: ShownOrder }) {
  const { path } = useSite();
  const [sent, setSent] = useState({ carrier: "", tracking_number: "", tracking_url: "" });
  const [reason, setReason] = useState("");
  const [note, setNote] = useState("");
  const left = order.lines.some(({ total, fulfilled }) => fulfilled < total);
  const act = useSave(
    ([step, body]: readonly [step: string, body: unknown]) =>
      call("POST", `${orderPath(path, order.order_id)}/${step}`, body),
    "orders",
  );
  const noting = useSave(
    () => call("POST", `${orderPath(path, order.order_id)}/notes`, { text: note.trim() }),
    "orders",
  );
  function addNote() {
    noting.mutate(undefined, { onSuccess: () => setNote("") });
  }
  const field = (name: keyof typeof sent, label: string) => (
    <TextField
      label={label}
      value={sent[name]}
      {...(name === "tracking_url" ? { type: "url", placeholder: "https://" } : {})}
      maxLength={name === "tracking_url" ? 2000 : WORDS_CHARS_MAX}
      onChange={({ target }) => setSent({ ...sent, [name]: target.value })}
    />
  );
  return (
    <Card title="What to do">
      {left && order.status !== "cancelled" && (
        <div className="flex flex-wrap gap-2">
          <Confirm
            label="Mark as sent"
            title="Was it sent?"
            yes="Yes, it was sent"
            onYes={() => act.mutateAsync(["ship", given(sent)])}
          >
            <p>
              Everything that is left of the order. Its platform and its buyer are notified at once.
            </p>
            {field("carrier", "Carrier (optional)")}
            {field("tracking_number", "Tracking number (optional)")}
            {field("tracking_url", "Where to follow it (optional)")}
          </Confirm>
          <Confirm
            label="Cancel what is left"
            title="Cancel what was not sent?"
            yes="Yes, cancel it"
            danger
            onYes={() => act.mutateAsync(["cancel", given({ reason })])}
          >
            <p>
              It goes back in stock and whoever bought it is told. Where nothing is left, the
              authorization is given up. That cannot be undone.
            </p>
            <TextField
              label="Why (the buyer reads this; optional)"
              value={reason}
              maxLength={WORDS_CHARS_MAX}
              onChange={({ target }) => setReason(target.value)}
            />
          </Confirm>
        </div>
      )}
      <Form onSubmit={addNote} className="flex flex-wrap items-end gap-2">
        <div className="min-w-0 flex-1">
          <TextField
            label="Note for your own people"
            value={note}
            required
            maxLength={NOTE_CHARS_MAX}
            onChange={({ target }) => setNote(target.value)}
          />
        </div>
        <Button type="submit">Add note</Button>
      </Form>
      {noting.isError && <Failure error={noting.error} />}
    </Card>
  );
}
