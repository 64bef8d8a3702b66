/**
 * Why the installation cannot start: one sentence that says what to do. Thrown while composing,
 * caught by `main` and the CLI, which print it and leave with an exit code of its own.
 */
export class StartupError extends Error {
  override readonly name = "StartupError";
  /** The variable that is in the way, where it is one. */
  readonly setting: string | undefined;

  constructor(message: string, { setting, ...options }: ErrorOptions & { setting?: string } = {}) {
    super(message, options);
    this.setting = setting;
  }
}
