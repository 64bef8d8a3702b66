/** A check cannot complete now, so nothing is approved: callers are answered `unavailable`. */
export class UnavailableError extends Error {
  override readonly name: string = "UnavailableError";
  /** What to tell whoever asked, where waiting does not help; undefined where it may. */
  readonly advice: string | undefined;
}
