import { titleOf } from "./words.js";

const LOOKS = {
  good: "bg-act-soft text-act",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  info: "bg-info-soft text-info",
  test: "bg-test-soft text-test",
  plain: "bg-line/50 text-ink",
} as const;
type Look = keyof typeof LOOKS;

/** The look of each state, the same on every page. A state that is not listed looks plain. */
const WORDS: Readonly<Record<string, Look>> = {
  approved: "good",
  authorized: "good",
  captured: "good",
  active: "good",
  verified: "good",
  verified_agent: "good",
  completed: "good",
  delivered: "plain",
  shipped: "plain",
  refunded: "plain",
  partly_refunded: "plain",
  admitted: "good",
  current: "good",
  matched: "good",
  escalated: "warn",
  pending: "warn",
  waiting_for_approval: "warn",
  not_verified: "warn",
  to_send: "info",
  paying: "warn",
  waiting: "warn",
  lapsed: "warn",
  partly_shipped: "warn",
  suspended: "warn",
  suspected_automation: "warn",
  unverified: "warn",
  rejected: "bad",
  denied: "bad",
  failed: "bad",
  payment_failed: "bad",
  revoked: "bad",
  cancelled: "plain",
  test: "test",
  test_mode: "test",
  invalidated: "bad",
  invalid: "bad",
  declined: "bad",
};

/** A state in words. Its color only repeats what the word says. */
export function Badge({ word, look }: { readonly word: string; readonly look?: Look }) {
  const style = LOOKS[look ?? WORDS[word] ?? "plain"];
  return (
    <span
      className={`inline-flex items-center gap-1.5 rounded-full px-2 py-0.5 text-xs font-medium whitespace-nowrap ${style}`}
    >
      <span aria-hidden="true" className="size-2 shrink-0 rounded-full bg-current" />
      {titleOf(word)}
    </span>
  );
}
