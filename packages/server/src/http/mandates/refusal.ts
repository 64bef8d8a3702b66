import { REASONS, type ReasonCode } from "@gatehouse/protocol";

/** Ends a route of this door with a refusal, in the words of the mandate contract. */
export class MandateRefusal extends Error {
  override readonly name = "MandateRefusal";
  readonly reason: ReasonCode;
  readonly headers: Readonly<Record<string, string>>;
  /** What is known of the mandate by then. */
  readonly about: Readonly<Record<string, string>>;

  constructor(
    reason: ReasonCode,
    options: {
      readonly message?: string | undefined;
      readonly headers?: Readonly<Record<string, string>>;
      readonly about?: Readonly<Record<string, string>>;
    } = {},
  ) {
    super(options.message ?? REASONS[reason].message);
    this.reason = reason;
    this.headers = options.headers ?? {};
    this.about = options.about ?? {};
  }
}
