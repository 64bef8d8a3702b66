import { formatAmount, parseAmount } from "@gatehouse/protocol";
import { useState } from "react";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Dialog } from "../ui/dialog.js";
import { TextField } from "../ui/field.js";
import { Form } from "../ui/form.js";
import { Unfit } from "../ui/problems.js";
import { moneyText, typedAmount } from "../ui/words.js";
import { orderName, orderPath, type ShownOrder } from "./orders.js";

const REASON_CHARS_MAX = 200;

interface Props {
  readonly order: ShownOrder;
  readonly kind: "capture" | "refund";
  readonly maxMinor: number;
  /** The amount that the field begins with. */
  readonly firstMinor: number;
}

const WORDS = {
  capture: {
    open: "Capture",
    title: (name: string) => `Capture the payment of order ${name}?`,
    about:
      "Your payment provider collects the reserved money for you. You can capture a payment only once: if you capture less, the rest is voided (released to the buyer).",
    yes: "Capture",
  },
  refund: {
    open: "Refund…",
    title: (name: string) => `Refund order ${name}?`,
    about: "The money goes back to the buyer's card. You cannot undo this.",
    yes: "Refund",
  },
} as const;

/** An amount as a person typed it, in minor units, or what is wrong with it. */
function readAmount(text: string, currency: string, maxMinor: number): number | string {
  const amount = parseAmount(typedAmount(text, currency), currency);
  if (!amount.ok || amount.value.minor < 1) return "Enter an amount, such as 12.50.";
  const most = moneyText({ minor: maxMinor, currency });
  return amount.value.minor > maxMinor ? `Enter at most ${most}.` : amount.value.minor;
}

/** A button that captures or refunds after a dialog, which asks how much. A passkey confirms it. */
export function ChangePayment({ order, kind, maxMinor, firstMinor }: Props) {
  const { path } = useSite();
  const { currency } = order.amount;
  const words = WORDS[kind];
  const [open, setOpen] = useState(false);
  const [text, setText] = useState("");
  const [reason, setReason] = useState("");
  const change = useSave(async () => {
    const amount_minor = readAmount(text, currency, maxMinor);
    if (typeof amount_minor === "string") throw new Unfit("amount_minor", amount_minor);
    const reasonMember = kind === "refund" && reason.trim() !== "" ? { reason: reason.trim() } : {};
    const body = { amount_minor, revision: order.revision, ...reasonMember };
    return call("POST", `${orderPath(path, order.order_id)}/${kind}`, body);
  }, "orders");
  function start() {
    setText(formatAmount({ minor: firstMinor, currency }));
    setReason("");
    change.reset();
    setOpen(true);
  }
  function submit() {
    change.mutate(undefined, { onSuccess: () => setOpen(false) });
  }
  const most = moneyText({ minor: maxMinor, currency });
  return (
    <>
      <Button kind={kind === "capture" ? "act" : "plain"} onClick={start}>
        {words.open}
      </Button>
      <Dialog open={open} title={words.title(orderName(order))} onClose={() => setOpen(false)}>
        <Form of={change} onSubmit={submit} className="flex flex-col gap-4">
          <p className="text-sm">{words.about}</p>
          <TextField
            label={`Amount in ${currency}`}
            name="amount_minor"
            inputMode="decimal"
            value={text}
            hint={`At most ${most}.`}
            onChange={({ target }) => setText(target.value)}
          />
          {kind === "refund" && (
            <TextField
              label="Reason (optional, visible to the buyer)"
              name="reason"
              value={reason}
              maxLength={REASON_CHARS_MAX}
              onChange={({ target }) => setReason(target.value)}
            />
          )}
          <div className="flex flex-wrap justify-end gap-2">
            <Button onClick={() => setOpen(false)}>Cancel</Button>
            <Button
              type="submit"
              kind={kind === "refund" ? "danger" : "act"}
              disabled={change.isPending}
            >
              {words.yes}
            </Button>
          </div>
        </Form>
      </Dialog>
    </>
  );
}
