import type { Networks } from "./networks.js";

/**
 * What a caller has proven: nothing yet, who it is, or who it is on a call that pays. Each class has
 * separate totals, so anonymous callers cannot use up what the others need.
 */
export type CallerClass = "anonymous" | "proven" | "spending";

/** A caller as limits see it: where it came from, and what it has proven so far. */
export interface Sender {
  readonly networks: Networks;
  provenAs: CallerClass;
}
