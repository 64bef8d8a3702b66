import { titleOf } from "./words.js";

const LOOKS = {
  good: "border-act/40 bg-act/10 text-act",
  warn: "border-warn/40 bg-warn/10 text-warn",
  bad: "border-bad/40 bg-bad/10 text-bad",
  info: "border-info/40 bg-info/10 text-info",
  test: "border-test/40 bg-test/10 text-test",
  plain: "border-line text-soft",
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
    <span className={`inline-block rounded-full border px-2 py-0.5 text-xs font-medium ${style}`}>
      {titleOf(word)}
    </span>
  );
}
