import { choicesOf } from "../ui/words.js";

/** The kinds of visitors. */
export const KINDS = choicesOf(
  "verified_agent",
  "declared_agent",
  "suspected_automation",
  "person",
);
