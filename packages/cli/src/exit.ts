/** Exit codes of every command; documented in docs/reference/cli.md. */
export const EXIT = {
  good: 0,
  /** What was asked for failed, or a check did not hold. */
  failed: 1,
  /** The command line was not understood. */
  usage: 2,
  /** The installation cannot start or be opened. */
  cannotStart: 3,
  /** The service did not answer. */
  unreachable: 4,
} as const;

/** Ends the command with a sentence or more on standard error, what to do next, and an exit code. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly code: number;
  readonly hint: string;
  /** What is said, one sentence a line. */
  readonly lines: readonly string[];

  constructor(says: string | readonly string[], code: number, hint: string) {
    const lines = [says].flat();
    super(lines.join(" "));
    this.lines = lines;
    this.code = code;
    this.hint = hint;
  }
}
