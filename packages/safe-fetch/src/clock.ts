/** Time as this package sees it: the caller's, so that tests can move it. */
export interface Clock {
  /** Milliseconds since 1970 UTC. */
  now(): number;
  /** Runs `task` once after `delayMs`; the returned function cancels it. */
  after(delayMs: number, task: () => void): () => void;
}
