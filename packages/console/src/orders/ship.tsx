import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { call } from "../api/client.js";
import { useSave } from "../api/save.js";
import { useSite } from "../layout/sites.js";
import { Button } from "../ui/button.js";
import { Confirm } from "../ui/confirm.js";
import { TextField } from "../ui/field.js";
import { Failure, Notice } from "../ui/notice.js";
import { useSecondsLeft } from "../ui/seconds-left.js";
import { UNDO_S } from "../ui/toast.js";
import { canMarkSent, orderPath, type ShownOrder } from "./orders.js";
import { useQuantities } from "./quantities.js";

export const WORDS_CHARS_MAX = 200;
const URL_CHARS_MAX = 2000;

/** The fields that are filled in. */
export function given(fields: Readonly<Record<string, string>>): Record<string, string> {
  const filled = Object.entries(fields).filter(([, value]) => value.trim() !== "");
  return Object.fromEntries(filled.map(([name, value]) => [name, value.trim()]));
}

const shipPath = (path: string, id: string) => `${orderPath(path, id)}/ship`;

/** Reports everything that is left of an order as sent. It can be undone for some seconds. */
export const shipRest = (path: string, id: string) =>
  call("POST", shipPath(path, id), { undo_seconds: UNDO_S });

export const undoShipment = (path: string, id: string) =>
  call("DELETE", `${orderPath(path, id)}/shipment`);

/** Marks items as sent or delivered. */
export function Ship({ order }: { readonly order: ShownOrder }) {
  const { path } = useSite();
  const [sent, setSent] = useState({ carrier: "", tracking_number: "", tracking_url: "" });
  const quantities = useQuantities(order, ({ total, fulfilled }) => total - fulfilled);
  const report = useSave(
    (body: object) =>
      call("POST", shipPath(path, order.order_id), { ...body, undo_seconds: UNDO_S }),
    "orders",
  );
  const field = (name: keyof typeof sent, label: string) => (
    <TextField
      label={label}
      value={sent[name]}
      {...(name === "tracking_url" ? { type: "url", placeholder: "https://" } : {})}
      maxLength={name === "tracking_url" ? URL_CHARS_MAX : WORDS_CHARS_MAX}
      onChange={({ target }) => setSent({ ...sent, [name]: target.value })}
    />
  );
  // A payment that can be captured has the main button. Nothing of a test order has to be sent.
  const isMain = order.payment_facts?.capture == null && !order.is_test;
  const isOnItsWay = order.lines.some(({ fulfilled, delivered }) => delivered < fulfilled);
  return (
    <>
      {quantities.isLeft && canMarkSent(order) && (
        <Confirm
          label="Mark as sent"
          kind={isMain ? "act" : undefined}
          title="Which items did you send?"
          yes="Mark as sent"
          onYes={async () => report.mutateAsync({ ...quantities.body(), ...given(sent) })}
        >
          <p>
            {order.is_test && "This is a test order, so send nothing. "}
            The platform is notified, and the buyer if email is set up. You can undo this for{" "}
            {UNDO_S} seconds.
          </p>
          {quantities.fields}
          {field("carrier", "Carrier (optional)")}
          {field("tracking_number", "Tracking number (optional)")}
          {field("tracking_url", "Tracking link (optional)")}
        </Confirm>
      )}
      {isOnItsWay && (
        <Button disabled={report.isPending} onClick={() => report.mutate({ type: "delivered" })}>
          Mark as delivered
        </Button>
      )}
      {report.isError && <Failure error={report.error} />}
    </>
  );
}

/** A report that takes effect in some seconds. Until then nobody is notified. */
export function PlannedShipment({
  order,
  plan,
}: {
  readonly order: ShownOrder;
  readonly plan: NonNullable<ShownOrder["planned_shipment"]>;
}) {
  const client = useQueryClient();
  const { path } = useSite();
  const left = useSecondsLeft(plan.takes_effect_at);
  const undoing = useSave(() => undoShipment(path, order.order_id), "orders");
  useEffect(() => {
    if (left === 0) void client.invalidateQueries({ queryKey: ["orders"] });
  }, [left, client]);
  const what = plan.type === "delivered" ? "Marked as delivered" : "Marked as sent";
  const text =
    plan.problem === null
      ? `${what}. ${left > 0 ? `It takes effect in ${left} s.` : ""}`
      : `Nobody was notified. ${plan.problem}`;
  return (
    <div className="flex w-full flex-wrap items-center gap-3" role="status">
      <Notice bad={plan.problem !== null}>{text}</Notice>
      {(left > 0 || plan.problem !== null) && (
        <Button disabled={undoing.isPending} onClick={() => undoing.mutate()}>
          {plan.problem === null ? "Undo" : "Dismiss"}
        </Button>
      )}
      {undoing.isError && <Failure error={undoing.error} />}
    </div>
  );
}
