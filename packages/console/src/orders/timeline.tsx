import type { ReactNode } from "react";
import { Who } from "../layout/people.js";
import { Badge } from "../ui/badge.js";
import { ShortTime } from "../ui/time.js";
import { moneyText, titleOf } from "../ui/words.js";
import type { ShownOrder } from "./orders.js";

interface Moment {
  readonly key: string;
  readonly at: string;
  readonly what: ReactNode;
}

function lineText(order: ShownOrder, lines: readonly { id: string; quantity: number }[]): string {
  return lines
    .map(({ id, quantity }) => {
      const title = order.lines.find(({ line_id }) => line_id === id)?.title ?? id;
      return `${quantity} × ${title}`;
    })
    .join(", ");
}

function shipments(order: ShownOrder): Moment[] {
  return order.events.map((event) => ({
    key: event.event_id,
    at: event.occurred_at,
    what: (
      <>
        <Badge word={event.type} /> {lineText(order, event.line_items)}
        {event.carrier !== null && ` by ${event.carrier}`}
        {event.tracking_number !== null && ` (${event.tracking_number})`}
        {event.description !== null && ` — ${event.description}`}
        {event.tracking_url !== null && /^https?:\/\//.test(event.tracking_url) && (
          <>
            {" "}
            <a
              href={event.tracking_url}
              target="_blank"
              rel="noreferrer"
              className="link break-all"
            >
              {event.tracking_url}
            </a>
          </>
        )}
      </>
    ),
  }));
}

function adjustments(order: ShownOrder): Moment[] {
  const { currency } = order.amount;
  return order.adjustments.map((one) => ({
    key: one.adjustment_id,
    at: one.occurred_at,
    what: (
      <>
        <strong className="font-medium">{titleOf(one.kind)}</strong> <Badge word={one.status} />{" "}
        {one.amount_minor !== null && moneyText({ minor: one.amount_minor, currency })}
        {one.line_items.length > 0 && ` ${lineText(order, one.line_items)}`}
        {one.description !== null && ` — ${one.description}`}
      </>
    ),
  }));
}

/** Captures and refunds that somebody asked for here. Their effect on the payment is listed by itself. */
function paymentChanges(order: ShownOrder): Moment[] {
  const { currency } = order.amount;
  return (order.payment_facts?.changes ?? []).map((one) => ({
    key: one.change_id,
    at: one.requested_at,
    what: (
      <>
        {titleOf(one.kind)} of {moneyText({ minor: one.amount_minor, currency })} requested by{" "}
        <Who id={one.requested_by} />
        {one.status !== "completed" && (
          <>
            {" "}
            <Badge word={one.status === "failed" ? "failed" : "pending"} />
          </>
        )}
        {one.failure !== null && <span className="text-bad"> {titleOf(one.failure)}</span>}
      </>
    ),
  }));
}

/** Messages. The same email to several addresses of the owner is one, with each address. */
function messages(order: ShownOrder): Moment[] {
  const sent = new Map<
    string,
    (typeof order.messages)[number] & { readonly to: readonly string[] }
  >();
  for (const one of order.messages) {
    const isMail = one.audience === "owner" && one.kind === "mail";
    const key = isMail ? `${one.topic} ${one.created_at} ${one.state}` : one.message_id;
    const to = isMail ? [...(sent.get(key)?.to ?? []), one.destination].sort() : [];
    sent.set(key, { ...one, to });
  }
  return [...sent.values()].map((one) => ({
    key: one.message_id,
    at: one.delivered_at ?? one.created_at,
    what: (
      <>
        {one.kind === "mail" ? "Email" : titleOf(one.kind)} to the {one.audience}
        {one.to.length > 0 && ` (${one.to.join(", ")})`} <Badge word={one.state} />{" "}
        <span className="text-soft">{titleOf(one.topic.replaceAll(".", " "))}</span>
        {one.last_problem !== null && <span className="text-bad"> {one.last_problem}</span>}
      </>
    ),
  }));
}

/** The history of an order, newest first. */
export function Timeline({ order }: { readonly order: ShownOrder }) {
  const paid = order.payment_changed_at;
  const moments: Moment[] = [
    { key: "sold", at: order.created_at, what: `Ordered for ${moneyText(order.amount)}` },
    ...(paid === null
      ? []
      : [
          {
            key: "paid",
            at: paid,
            what: (
              <>
                Payment <Badge word={order.payment} />
              </>
            ),
          },
        ]),
    ...shipments(order),
    ...adjustments(order),
    ...paymentChanges(order),
    ...messages(order),
    ...order.notes.map(({ note_id, text, written_by, created_at }) => ({
      key: note_id,
      at: created_at,
      what: (
        <>
          Note by <Who id={written_by} />: {text}
        </>
      ),
    })),
  ];
  return (
    <ol className="flex flex-col gap-3 border-l border-line pl-4 text-sm">
      {moments
        .toSorted((a, b) => b.at.localeCompare(a.at))
        .map(({ key, at, what }) => (
          <li key={key} className="flex flex-col gap-0.5">
            <span className="text-xs text-soft">
              <ShortTime at={at} />
            </span>
            <span className="break-words">{what}</span>
          </li>
        ))}
    </ol>
  );
}
