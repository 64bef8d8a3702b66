/** A check cannot complete now, so nothing is approved: callers are answered `unavailable`. */
export class UnavailableError extends Error {
  override readonly name: string = "UnavailableError";
  /** What the caller should know if waiting does not help; undefined if it may help. */
  readonly advice: string | undefined;
}
