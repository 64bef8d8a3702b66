import { choicesOf } from "../ui/words.js";

/** Who comes. */
export const KINDS = choicesOf(
  ...(["verified_agent", "declared_agent", "suspected_automation", "person"] as const),
);
