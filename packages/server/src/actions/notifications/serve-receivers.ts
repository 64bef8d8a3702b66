import type { Context } from "../../context.js";
import { OUTBOX_TOPIC } from "../../domain/outbox/message.js";
import { dueDestinations } from "../../domain/outbox/store.js";

/** Receivers served at the same time; each gets its messages one after the other. */
const DESTINATIONS_AT_ONCE = 16;
/** Turns of all receivers in one run. */
const TURNS_MAX = 800;
/** While receivers are served, others are looked for this often, besides when a message is written. */
const LOOK_EVERY_MS = 5000;

/**
 * Gives turns to the receivers with due messages until nothing is due, also to those whose messages are written
 * meanwhile: a receiver that is slow makes no other one wait. `deliver` returns false if its receiver does not answer,
 * which gets no more turns then. An error ends the turns of its receiver, and is thrown at the end.
 */
export async function serveReceivers(
  { clock, db }: Pick<Context, "clock" | "db">,
  isOver: () => boolean,
  deliver: (destination: string) => Promise<boolean>,
): Promise<void> {
  /** Receivers that are served now, and those that get nothing more in this run. */
  const taken = new Set<string>();
  const failures: unknown[] = [];
  let turns = 0;
  let serving = 0;
  let wake = () => {};
  /** Until a turn ends, a message is written, or it is time to look again. */
  const untilWoken = () =>
    new Promise<void>((resolve) => {
      const cancel = clock.after(LOOK_EVERY_MS, resolve);
      wake = () => {
        cancel();
        resolve();
      };
    });
  const serve = async (destination: string) => {
    try {
      if (await deliver(destination)) taken.delete(destination);
    } catch (error) {
      failures.push(error);
    }
    serving--;
    wake();
  };
  const startTurns = async () => {
    if (isOver() || turns >= TURNS_MAX || serving >= DESTINATIONS_AT_ONCE) return;
    const limit = DESTINATIONS_AT_ONCE + taken.size;
    const due = await dueDestinations(db, clock.now(), limit);
    const free = Math.min(DESTINATIONS_AT_ONCE - serving, TURNS_MAX - turns);
    for (const destination of due.filter((one) => !taken.has(one)).slice(0, free)) {
      taken.add(destination);
      serving++;
      turns++;
      void serve(destination);
    }
  };
  const unsubscribe = db.changes.subscribe(({ topic }) => {
    if (topic === OUTBOX_TOPIC) wake();
  });
  for (let isIdle = false; !isIdle; ) {
    const woken = untilWoken();
    const wasServing = serving > 0;
    await startTurns().catch((error) => {
      failures.push(error);
      turns = TURNS_MAX;
    });
    isIdle = !wasServing && serving === 0;
    if (!isIdle) await woken;
  }
  wake();
  unsubscribe();
  if (failures.length > 0) throw failures[0];
}
