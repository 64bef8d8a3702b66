/** What one look of `gatehouse doctor` found. */
export interface Finding {
  readonly part: string;
  readonly verdict: "good" | "warning" | "failure";
  /** What is so, or what to do. */
  readonly message: string;
}
