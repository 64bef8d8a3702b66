/** An expected refusal: a stable tag for programs, a sentence for people. */
export interface Refusal<R extends string = string> {
  readonly ok: false;
  readonly reason: R;
  readonly detail: string;
}

/** The value, or the reason there is none. Broken assumptions throw instead. */
export type Result<T, R extends string = string> =
  | { readonly ok: true; readonly value: T }
  | Refusal<R>;

/**
 * Wraps a value as a successful {@link Result}.
 *
 * @example
 * ok(7); //=> { ok: true, value: 7 }
 */
export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/**
 * Makes a refusal. `detail` is for logs and operators; it never holds secrets or echoes input.
 *
 * @example
 * refuse("too_deep", "nested deeper than 16 levels").reason; //=> "too_deep"
 */
export function refuse<R extends string>(reason: R, detail: string): Refusal<R> {
  return { ok: false, reason, detail };
}
