import { useSyncExternalStore } from "react";

/** Long enough to read a sentence twice. */
const SHOWN_MS = 8000;
/** As long as the service waits before it carries something out. */
export const UNDO_S = 10;

interface Message {
  readonly number: number;
  readonly text: string;
  /** Takes back what was done. */
  readonly undo?: (() => Promise<unknown>) | undefined;
}

let current: Message | null = null;
let number = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function show(message: Message | null): void {
  current = message;
  for (const listener of listeners) listener();
}

/** Tells the person what was done, on whatever page they are then, and offers to undo it. */
export function notify(text: string, undo?: () => Promise<unknown>): void {
  number += 1;
  show({ number, text, undo });
  clearTimeout(timer);
  timer = setTimeout(() => show(null), undo === undefined ? SHOWN_MS : UNDO_S * 1000);
}

/** Undoes the last change, and says so. */
async function undoIt(undo: () => Promise<unknown>): Promise<void> {
  show(null);
  try {
    await undo();
    notify("Undone.");
  } catch (error) {
    notify(error instanceof Error ? error.message : "Try again.");
  }
}

function follow(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The place of the last message, above everything else. Screen readers announce what appears in it. */
export function Toast() {
  const message = useSyncExternalStore(follow, () => current);
  const undo = message?.undo;
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-0 bottom-[calc(var(--bottom-bar,0px)+1rem)] z-50 flex justify-center px-4 print:hidden"
    >
      {message !== null && (
        <p
          key={message.number}
          className="pointer-events-auto flex items-center gap-3 rounded-lg bg-ink px-4 py-2 text-sm font-medium text-back shadow-lg"
        >
          {message.text}
          {undo !== undefined && (
            <button
              type="button"
              className="rounded px-1 underline underline-offset-2"
              onClick={() => void undoIt(undo)}
            >
              Undo
            </button>
          )}
          <button
            type="button"
            aria-label="Close the message"
            className="rounded px-1"
            onClick={() => show(null)}
          >
            ×
          </button>
        </p>
      )}
    </div>
  );
}
