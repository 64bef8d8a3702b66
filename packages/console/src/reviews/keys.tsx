import { useEffect, useRef } from "react";
import { Key } from "../ui/key.js";
import { isTyping } from "../ui/keys.js";

const REVIEW = "article[data-review]";

/** The reviews of the page, in order. */
const shownReviews = () => [...document.querySelectorAll<HTMLElement>(REVIEW)];

/**
 * The review that has the focus. A list never chooses one by itself: when somebody else ends the focused review,
 * the next key would decide another one.
 */
function focusedReview(): HTMLElement | undefined {
  return document.activeElement?.closest<HTMLElement>(REVIEW) ?? undefined;
}

/** Moves the focus to the next or the previous review of the page. */
export function moveFocus(by: 1 | -1): void {
  const shown = shownReviews();
  const focused = focusedReview();
  const place = focused === undefined ? -1 : shown.indexOf(focused);
  const next = place === -1 ? shown[0] : shown[place + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

const hasModifier = (event: KeyboardEvent) =>
  event.ctrlKey || event.metaKey || event.altKey || event.shiftKey;

interface ReviewKeys {
  move(by: 1 | -1): void;
  /** Whether the page shows one review only, which needs no focus. */
  readonly isSingle?: boolean;
}

/** J and K move between reviews, A approves and D declines the chosen one. */
export function useReviewKeys({ move, isSingle = false }: ReviewKeys): void {
  const latest = useRef(move);
  latest.current = move;
  useEffect(() => {
    function press(event: KeyboardEvent) {
      const { key, target } = event;
      if (event.defaultPrevented || event.repeat || hasModifier(event) || isTyping(target)) return;
      if (key === "j" || key === "k") latest.current(key === "j" ? 1 : -1);
      else if (key === "a" || key === "d") {
        const button = `button[aria-keyshortcuts=${key}]`;
        (isSingle ? shownReviews()[0] : focusedReview())
          ?.querySelector<HTMLButtonElement>(button)
          ?.click();
      } else return;
      event.preventDefault();
    }
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [isSingle]);
}

export const REVIEW_KEYS = [
  ["J", "next"],
  ["K", "previous"],
  ["A", "approve"],
  ["D", "decline"],
] as const;

/** The keys, where there is a keyboard. */
export function KeyHelp() {
  return (
    <p className="text-xs text-soft max-lg:hidden">
      {REVIEW_KEYS.map(([key, does]) => (
        <span key={key} className="mr-4">
          <Key>{key}</Key> {does}
        </span>
      ))}
    </p>
  );
}
