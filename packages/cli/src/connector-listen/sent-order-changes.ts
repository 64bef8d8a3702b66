import { canonicalize, type JsonValue } from "@gatehouse/protocol";
import type { OrderChangeMessage } from "@gatehouse/server/connector";
import type { SentRules } from "./sent-rules.js";

type Message = ReturnType<typeof OrderChangeMessage.parse>;

interface Event {
  /** The order, and what happened to it. */
  readonly text: string;
  sent: number;
}

/** Rejected at first, then pending, then done. */
const SENDS_UNTIL_DONE = 3;

/** Takes changes of orders as Gatehouse does while it is busy: each has to be sent three times. */
export class SentOrderChanges {
  private readonly rules: SentRules;
  private readonly events = new Map<string, Event>();

  constructor(rules: SentRules) {
    this.rules = rules;
  }

  /** The answer to a message; undefined if it is rejected. */
  take({ event_id: id, order_id, change }: Message): object | undefined {
    const text = canonicalize({ order_id, change: change as unknown as JsonValue });
    const event = this.events.get(id) ?? { text, sent: 0 };
    const isNew = event.sent === 0;
    if (event.text !== text) {
      this.rules.fault("events", `The event_id ${id} was used for two changes.`);
    }
    const open = [...this.events].find(
      ([, one]) => one.text === text && one.sent < SENDS_UNTIL_DONE,
    );
    if (isNew && open !== undefined) {
      const problem = `A change that was not done was sent as ${open[0]}, and then again as ${id}.`;
      this.rules.fault("events", problem);
    }
    event.sent++;
    this.events.set(id, event);
    if (event.sent === 1) return undefined;
    const isDone = event.sent >= SENDS_UNTIL_DONE;
    if (isDone) this.rules.keep("events");
    return { type: "order.change.answer", state: isDone ? "done" : "pending", revision: 1 };
  }
}
