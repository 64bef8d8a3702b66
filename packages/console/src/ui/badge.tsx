import { plainWord } from "./words.js";

const LOOKS = {
  good: "border-act/40 bg-act/10 text-act",
  warn: "border-warn/40 bg-warn/10 text-warn",
  bad: "border-bad/40 bg-bad/10 text-bad",
  plain: "border-line text-soft",
} as const;
type Look = keyof typeof LOOKS;

/** How the words of the interface look, wherever they stand. What is not listed is plain. */
const WORDS: Readonly<Record<string, Look>> = {
  approved: "good",
  authorized: "good",
  captured: "good",
  active: "good",
  verified: "good",
  verified_agent: "good",
  shipped: "good",
  delivered: "good",
  admitted: "good",
  current: "good",
  matched: "good",
  escalated: "warn",
  pending: "warn",
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
  cancelled: "bad",
  invalidated: "bad",
  invalid: "bad",
  declined: "bad",
};

/** One word that says how something stands; never by its colour alone. */
export function Badge({ word, look }: { readonly word: string; readonly look?: Look }) {
  const style = LOOKS[look ?? WORDS[word] ?? "plain"];
  return (
    <span className={`inline-block rounded-full border px-2 py-0.5 text-xs font-medium ${style}`}>
      {plainWord(word)}
    </span>
  );
}
