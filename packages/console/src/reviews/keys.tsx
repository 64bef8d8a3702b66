import { useEffect, useRef } from "react";

const REVIEW = "article[data-review]";

/** The reviews of the page, in order. */
const shownReviews = () => [...document.querySelectorAll<HTMLElement>(REVIEW)];

/** The review that has the focus, or the only one of the page. */
function chosenReview(): HTMLElement | undefined {
  const focused = document.activeElement?.closest<HTMLElement>(REVIEW);
  const shown = shownReviews();
  return focused ?? (shown.length === 1 ? shown[0] : undefined);
}

/** Moves the focus to the next or the previous review of the page. */
export function moveFocus(by: 1 | -1): void {
  const shown = shownReviews();
  const focused = document.activeElement?.closest<HTMLElement>(REVIEW);
  const place = focused == null ? -1 : shown.indexOf(focused);
  const next = place === -1 ? shown[0] : shown[place + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

const isTyping = (target: EventTarget | null) =>
  target instanceof Element &&
  target.closest("input, textarea, select, [contenteditable], dialog, [role=dialog]") !== null;

const hasModifier = (event: KeyboardEvent) =>
  event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;

/** J and K move between reviews, A approves and D declines the chosen one. */
export function useReviewKeys(move: (by: 1 | -1) => void): void {
  const latest = useRef(move);
  latest.current = move;
  useEffect(() => {
    function press(event: KeyboardEvent) {
      const { key, target } = event;
      if (event.defaultPrevented || event.repeat || hasModifier(event) || isTyping(target)) return;
      if (key === "j" || key === "k") latest.current(key === "j" ? 1 : -1);
      else if (key === "a" || key === "d") {
        const button = `button[aria-keyshortcuts=${key}]`;
        chosenReview()?.querySelector<HTMLButtonElement>(button)?.click();
      } else return;
      event.preventDefault();
    }
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
}

const KEYS = [
  ["J", "next"],
  ["K", "previous"],
  ["A", "approve"],
  ["D", "decline"],
] as const;

/** The keys, where there is a keyboard. */
export function KeyHelp() {
  return (
    <p className="text-xs text-soft max-lg:hidden">
      {KEYS.map(([key, does]) => (
        <span key={key} className="mr-4">
          <kbd className="rounded border border-line px-1.5 py-0.5 font-sans">{key}</kbd> {does}
        </span>
      ))}
    </p>
  );
}
