/** The result of one check of `gatehouse doctor`. */
export interface Finding {
  readonly part: string;
  readonly verdict: "good" | "warning" | "failure";
  /** What was found, or what to do. */
  readonly message: string;
}
